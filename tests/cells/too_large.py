# %%
display(1, display_id="x" * 20_000_000)
print("after")
# %%
display({"m" * 20_000_000: "x"}, raw=True)
print("on")
# %% inputs="never"
input("x" * 20_000_000)
# %% expr.a=x*7_000_000 expr.b=x*7_000_000 expr.c=x*7_000_000 max_display_bytes=8000000
x = "x"
1
# %%
raise type("E" * 20_000_000, (Exception,), {})("why")
# %%
def f():
    raise ValueError("deep")
f.__code__ = f.__code__.replace(co_qualname="q" * 20_000_000)
f()
# %%
"alive"
