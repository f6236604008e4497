# %%
import pandas as pd
df = pd.DataFrame({"city": ["Oslo", "Rome"], "mean": [5.5, 15.25]})
df.to_excel("out.xlsx", index=False)
df.to_csv("out.csv", index=False)
pd.read_excel("out.xlsx")["mean"].sum()
