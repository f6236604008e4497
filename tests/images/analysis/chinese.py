# %%
import pandas as pd
df = pd.DataFrame({"城市": ["北京", "上海", "广州", "深圳"], "人口": [2189, 2487, 1868, 1756]})
df.to_csv("城市.csv", index=False, encoding="gbk")
pd.read_csv("城市.csv", encoding="gbk")
# %%
import matplotlib.pyplot as plt
plt.rcParams["axes.unicode_minus"] = False
df.plot.barh(x="城市", y="人口", legend=False)
plt.title("人口(万人)")
plt.savefig("人口.png")
# %%
df["占比"] = (df["人口"] / df["人口"].sum()).map("{:.1%}".format)
print(df.to_string(index=False))
# %%
df.to_excel("人口.xlsx", index=False, sheet_name="数据")
pd.read_excel("人口.xlsx", sheet_name="数据")
# %%
import glob
assert sorted(glob.glob("*.*")) == sorted(["城市.csv", "人口.png", "人口.xlsx"])
