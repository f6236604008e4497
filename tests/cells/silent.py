# %% silent
hidden = 3
display("not shown")
hidden
# %%
hidden
# %% silent
1 / 0
