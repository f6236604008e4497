# %%
import asyncio
async def main():
    await asyncio.sleep(0)
    return "done"
asyncio.run(main())
# %%
await main()
# %%
asyncio.get_event_loop().run_until_complete(main())
