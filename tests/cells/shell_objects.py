# %%
get_ipython().Completer is not None
# %%
import IPython
IPython.get_ipython() is get_ipython(), callable(IPython.embed)
# %%
__IPYTHON__
# %%
get_ipython().run_cell("inner = 3").success
# %%
inner
# %%
import os
[n for n in os.listdir(os.path.expanduser("~")) if n == ".ipython"]
