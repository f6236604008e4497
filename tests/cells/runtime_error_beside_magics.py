# %%
%time x = 1
files = !echo one
raise ValueError(files)
