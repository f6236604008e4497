# %%
for i in range(70):
    get_ipython().displayhook(i)
    get_ipython().execution_count += 1
# %%
len(Out) <= 64, sorted(Out)[-1]
