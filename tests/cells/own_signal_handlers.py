# %%
import signal, time
def alarm(*_):
    raise TimeoutError("alarm")
signal.signal(signal.SIGALRM, alarm)
signal.setitimer(signal.ITIMER_REAL, 0.2)
time.sleep(5)
# %%
signal.setitimer(signal.ITIMER_REAL, 0.05);
# %% expr.wait=1
import subprocess
try:
    time.sleep(0.3)
except TimeoutError:
    pass
# %%
"alive"
