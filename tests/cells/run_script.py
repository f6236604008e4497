# %%
%%writefile script.py
import sys
print("args", sys.argv[1:])
value = 7
# %%
%run script.py one
value
# %%
%%writefile broken.py
x = 1
raise ValueError("broken")
# %%
%run broken.py
