# %%
kept = 1
import sys
sys.exit(3)
# %%
kept
# %%
sys.exit()
# %%
sys.exit("bye")
# %%
exit()
# %%
quit(2)
# %%
raise SystemExit(-1)
