# %%
import threading
def work(i):
    print("thread", i)
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
# %%
def nested():
    inner = threading.Thread(target=print, args=("inner",))
    inner.start()
    inner.join()
outer = threading.Thread(target=nested)
outer.start()
outer.join()
# %%
def fail():
    raise ValueError("in a thread")
t = threading.Thread(target=fail)
t.start()
t.join()
