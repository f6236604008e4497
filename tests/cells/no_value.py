# %%
None
# %%
1 + 1;
# %%
1 + 1;  # a comment
# %%
x = 5
# %%
"a;b"
# %%
"""ends with a semicolon;"""
# %%
for i in range(3):
    i
