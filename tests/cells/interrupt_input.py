# %% interrupt=0.3
input("x")
# %% interrupt=0.3
class Slow:
    def __repr__(self):
        import time
        time.sleep(60)
Slow()
# %% interrupt=0.3
%%time
import time
time.sleep(60)
