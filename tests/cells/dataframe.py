# %%
import pandas as pd, numpy as np
df = pd.DataFrame({"n": [1, 2], "f": [1.5, np.nan], "s": ["a", None], "t": pd.to_datetime(["2024-01-02", None]), "b": [True, False]})
df
# %%
pd.DataFrame({"x": range(2000)})
# %%
df["n"]
# %%
pd.DataFrame({"big": [2**60], "inf": [np.inf], "obj": [(1, b"x")], "cat": pd.Categorical(["u"]), "d": pd.to_timedelta(["1D"])})
# %%
pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]), index=pd.MultiIndex.from_tuples([("r", 0)]))
# %%
pd.DataFrame()
# %%
pd.DataFrame(np.zeros((3, 150)))
# %%
pd.DataFrame([[1, 2]], columns=["same", "same"])
