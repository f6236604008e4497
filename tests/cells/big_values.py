# %% max_display_bytes=1000
"x" * 100000
# %% max_display_bytes=1000
from IPython.display import HTML
display(HTML("h" * 5000))
# %%
print(len("y" * 10))
list(range(100000))
