# %%
print("a")
display(1)
2
# %%
display(1)
1 / 0
