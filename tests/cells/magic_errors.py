# %%
%%time
x = 1
1 / 0
# %%
%time 1 / 0
# %%
%%timeit
1 / 0
