# %%
files = !ls
%time x = 1
z = = 3
