# %%
import asyncio
async def f():
    await asyncio.sleep(0.01)
    return 5
await f()
# %%
x = await f()
[await f() for _ in range(2)]
# %%
async with asyncio.Lock():
    print("locked")
async for i in __import__("contextlib").aclosing(g()) if False else []:
    pass
# %%
await asyncio.gather(f(), f())
# %%
async def broken():
    raise ValueError("async")
await broken()
