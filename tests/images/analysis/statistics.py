# %%
import numpy as np
from scipy import stats
rng = np.random.default_rng(7)
a, b = rng.normal(5, 1, 80), rng.normal(5.6, 1.2, 90)
stats.ttest_ind(a, b, equal_var=False)
# %%
print("Mann-Whitney", stats.mannwhitneyu(a, b).pvalue)
print("Shapiro", stats.shapiro(a).pvalue)
# %%
boot = stats.bootstrap((a,), np.mean, n_resamples=500, random_state=1).confidence_interval
boot
# %%
import statsmodels.formula.api as smf
import pandas as pd
data = pd.DataFrame({"y": np.r_[a, b], "group": ["a"] * 80 + ["b"] * 90})
result = smf.ols("y ~ C(group)", data).fit()
result.summary()
# %%
table = pd.crosstab(data["group"], data["y"] > 5)
chi2, p, dof, expected = stats.chi2_contingency(table)
assert dof == 1 and boot.low < a.mean() < boot.high and result.pvalues[1] < 0.05
