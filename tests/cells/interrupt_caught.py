# %% interrupt=0.3
import time
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("caught")
# %% interrupt=0.3,0.8
try:
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(60)
# %% interrupt=0.3
try:
    time.sleep(60)
finally:
    print("cleaned")
