# %%
import numpy as np
from scipy.integrate import solve_ivp
def lotka(t, z, a=1.5, b=1, c=3, d=1):
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]
solution = solve_ivp(lotka, [0, 15], [10, 5], dense_output=True)
solution.y.shape
# %%
from scipy.optimize import curve_fit, linprog
x = np.linspace(0, 4, 50)
params, cov = curve_fit(lambda x, a, b: a * np.exp(-b * x), x, 2.5 * np.exp(-1.3 * x))
params
# %%
linprog(c=[-1, -2], A_ub=[[1, 1], [1, 3]], b_ub=[4, 6]).x
# %%
import sympy as sp
t = sp.symbols("t")
f = sp.Function("f")
sp.dsolve(f(t).diff(t) + f(t), f(t))
# %%
import networkx as nx
G = nx.karate_club_graph()
rank = nx.pagerank(G)
best = max(rank, key=rank.get)
assert best in (0, 33) and np.allclose(params, [2.5, 1.3])
