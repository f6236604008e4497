# %% interrupt=0.3
kept = 1
print("started", flush=True)
while True:
    pass
# %%
kept
