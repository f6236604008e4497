# %%
import contextvars, asyncio
var = contextvars.ContextVar("var", default="unset")
token = var.set("sync")
var.get()
# %%
var.get()
# %%
await asyncio.sleep(0)
token = var.set("async")
# %%
var.get()
