# %%
__name__
# %%
"__file__" in globals()
# %%
import sys, __main__
(sys.modules["__main__"] is __main__, __main__.sys is sys, sys.argv)
# %%
if __name__ == "__main__":
    print("main guard")
# %%
class A: pass
A.__module__
