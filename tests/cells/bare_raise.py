# %%
raise
