# %% interrupt=0.4
import asyncio
print("in")
await asyncio.sleep(60)
# %% interrupt=0.3
asyncio.run(asyncio.sleep(60))
# %% interrupt=0.3
await asyncio.sleep(0)
while True:
    pass
# %%
await asyncio.sleep(0.01)
"alive"
