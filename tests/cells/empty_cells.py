# %%
# %%

# %%
# only a comment
# %%
1
