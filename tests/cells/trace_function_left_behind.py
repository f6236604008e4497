# %%
import sys
def tracer(*args):
    return tracer
sys.settrace(tracer)
# %%
sys.gettrace() is None
