# %%
import json
json.loads("{")
