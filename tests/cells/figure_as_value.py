# %%
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.plot([1, 2])
fig
# %%
fig, ax = plt.subplots()
ax.plot([1, 2])
display(fig)
# %%
fig
# %%
from matplotlib.figure import Figure
f = Figure()
f.subplots().plot([1])
f
