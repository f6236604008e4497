# %%
import numpy as np
import pandas as pd
rng = np.random.default_rng(1)
sales = pd.DataFrame({"date": pd.date_range("2023-01-01", "2023-12-31"), })
sales["units"] = rng.poisson(20 + 5 * np.sin(sales.index / 58))
sales["price"] = rng.choice([9.99, 12.5, 19.0], len(sales))
sales.to_csv("sales.csv", index=False)
sales.head()
# %%
df = pd.read_csv("sales.csv", parse_dates=["date"])
df.info()
df.describe()
# %%
df["revenue"] = df["units"] * df["price"]
monthly = df.resample("M", on="date")["revenue"].sum()
monthly.pct_change().mul(100).round(1)
# %%
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(10, 5))
monthly.plot(kind="bar", ax=ax, color="steelblue")
ax.set_title("Revenue by month")
ax.set_xticklabels([d.strftime("%b") for d in monthly.index], rotation=45)
plt.tight_layout()
plt.savefig("monthly.png", dpi=150)
plt.show()
# %%
with pd.ExcelWriter("report.xlsx") as writer:
    monthly.to_frame().to_excel(writer, sheet_name="Monthly")
    df.groupby("price").agg(units=("units", "sum"), revenue=("revenue", "sum")).to_excel(writer, sheet_name="Prices")
import os
assert os.path.getsize("monthly.png") > 5000
assert pd.read_excel("report.xlsx", sheet_name=None).keys() == {"Monthly", "Prices"}
