# %%
import threading, time
def later():
    time.sleep(0.3)
    print("late")
t = threading.Thread(target=later)
t.start()
# %%
t.join()
