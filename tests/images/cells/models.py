# covers: python3-sklearn python3-statsmodels python3-skimage python3-networkx
# %%
import numpy as np
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
data = load_iris()
assert cross_val_score(RandomForestClassifier(20, random_state=0), data.data, data.target, cv=3).mean() > 0.9
# %%
scores = cross_val_score(RandomForestClassifier(10, random_state=0, n_jobs=2), data.data, data.target, cv=2)
assert len(scores) == 2
# %%
import statsmodels.api as sm
x = np.arange(50.0)
fit = sm.OLS(3 * x + 2 + np.sin(x), sm.add_constant(x)).fit()
assert abs(fit.params[1] - 3) < 0.02 and "R-squared" in str(fit.summary())
# %%
from skimage import filters, measure
picture = np.zeros((40, 40)); picture[5:15, 5:15] = 1; picture[25:35, 25:35] = 1
assert measure.label(picture > filters.threshold_otsu(picture)).max() == 2
# %%
import networkx as nx
assert nx.shortest_path(nx.grid_2d_graph(4, 4), (0, 0), (3, 3))[-1] == (3, 3)
