# %%
import io
import pandas as pd
text = """name;age;city;score
Anna;34;Köln;7,5
Bob;;Berlin;6,0
Chen;29;München;9,25
Anna;34;Köln;7,5
"""
df = pd.read_csv(io.StringIO(text), sep=";", decimal=",")
df
# %%
df = df.drop_duplicates().copy()
df["age"] = df["age"].fillna(df["age"].median()).astype(int)
df.isna().sum()
# %%
df["group"] = pd.cut(df["age"], [0, 30, 40, 120], labels=["young", "middle", "old"])
pivot = df.pivot_table(index="city", columns="group", values="score", aggfunc="mean", observed=False)
pivot
# %%
print(df.to_markdown(index=False))
# %%
melted = df.melt(id_vars="name", value_vars=["age", "score"])
joined = melted.merge(df[["name", "city"]], on="name", how="left", validate="many_to_one")
assert len(joined) == 6 and joined["city"].notna().all()
joined.to_json("joined.json", orient="records", force_ascii=False)
assert "Köln" in open("joined.json", encoding="utf-8").read()
