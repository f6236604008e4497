# %%
import asyncio
results = []
async def work():
    for i in range(3):
        await asyncio.sleep(0.01)
        results.append(i)
task = asyncio.create_task(work())
# %%
await task
results
# %%
async def talk():
    await asyncio.sleep(0.01)
    print("from a task")
t = asyncio.create_task(talk())
await t
