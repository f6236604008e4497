# %%
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN);
# %% interrupt=0.3
time.sleep(60)
