# %%
%%writefile mymodule.py
answer = 42
# %%
%%writefile json.py
raise RuntimeError("shadowed")
# %%
%%writefile code.py
raise RuntimeError("shadowed")
# %%
import mymodule
mymodule.answer
# %%
import importlib, sys
for name in ("json", "code"):
    sys.modules.pop(name, None)
import json, code
json.dumps([1])
# %%
import pandas
1
# %%
%%writefile openpyxl.py
mine = True
# %%
import openpyxl
openpyxl.mine
