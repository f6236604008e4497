# %%
x = 1
y = (2 +* 3)
# %%
if True:
print(1)
# %%
def f(:
    pass
# %%
    indented = 1
    indented + = 2
