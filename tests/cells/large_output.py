# %%
for i in range(20000):
    print("line", i)
# %%
import sys
sys.stdout.write("x" * 3_000_000);
