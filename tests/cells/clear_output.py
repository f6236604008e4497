# %%
from IPython.display import clear_output
print("one", flush=True)
clear_output()
print("two")
clear_output(wait=True)
