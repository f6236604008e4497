# %%
import numpy as np
import pandas as pd
index = pd.date_range("2015-01-01", periods=96, freq="MS")
y = pd.Series(np.linspace(100, 200, 96) + 15 * np.sin(np.arange(96) * np.pi / 6), index=index, name="y")
y.tail()
# %%
from statsmodels.tsa.seasonal import seasonal_decompose
parts = seasonal_decompose(y, model="additive", period=12)
parts.seasonal.iloc[:12].round(1)
# %%
from statsmodels.tsa.holtwinters import ExponentialSmoothing
fit = ExponentialSmoothing(y[:-12], trend="add", seasonal="add", seasonal_periods=12).fit()
forecast = fit.forecast(12)
error = (forecast - y[-12:]).abs().mean()
print(f"mean absolute error {error:.2f}")
# %%
import matplotlib.pyplot as plt
y.plot(label="data"); forecast.plot(label="forecast", style="--"); plt.legend(); plt.show()
# %%
local = y.tz_localize("UTC").tz_convert("Asia/Shanghai")
assert str(local.index[0]) == "2015-01-01 08:00:00+08:00"
rolling = y.rolling(12).mean().dropna()
assert rolling.is_monotonic_increasing and error < 5
