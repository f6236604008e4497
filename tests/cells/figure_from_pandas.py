# %%
import pandas as pd
pd.Series([1, 2, 3]).plot()
