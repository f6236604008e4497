# %%
print("hello")
print("no newline", end="")
# %%
import sys
n = sys.stdout.write("a\tb\n")
print(1, 2, sep=", ")
