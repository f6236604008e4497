import os
async def f():
    async with os.popen('x') as p:
        pass
