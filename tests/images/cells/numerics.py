# covers: python3-numpy python3-scipy python3-sympy python3-numexpr python3-bottleneck
# %%
import numpy as np
a = np.random.default_rng(0).normal(size=(50, 50))
u, s, vt = np.linalg.svd(a)
assert np.allclose(u @ np.diag(s) @ vt, a)
np.save("a.npy", a)
assert np.array_equal(np.load("a.npy"), a)
# %%
from scipy import integrate, optimize, stats
assert abs(integrate.quad(lambda x: np.exp(-x * x), -np.inf, np.inf)[0] - np.pi ** 0.5) < 1e-8
assert abs(optimize.brentq(lambda x: x ** 3 - 2, 0, 2) - 2 ** (1 / 3)) < 1e-9
assert stats.ttest_ind([1, 2, 3, 4], [11, 12, 13, 14]).pvalue < 1e-3
# %%
import sympy
x = sympy.symbols("x")
assert sympy.integrate(sympy.sin(x) ** 2, (x, 0, sympy.pi)) == sympy.pi / 2
# %%
import bottleneck, numexpr
assert numexpr.evaluate("a * 2 + 1").shape == (50, 50)
assert bottleneck.nanmean(np.array([1, np.nan, 3])) == 2
