# %%
x = 1
# %%
%reset -f
# %%
"x" in globals()
# %%
%reset
# %%
exit
# %%
get_ipython().execution_count
