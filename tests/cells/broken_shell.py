# %%
ip = get_ipython()
ip.display_formatter = None
ip.events = None
# %%
1
# %%
x = 1
