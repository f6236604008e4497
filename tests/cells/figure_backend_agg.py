# %%
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.show()
# %%
plt.plot([1, 2]);
# %%
from matplotlib.pyplot import show, plot
plot([1])
show(block=True)
# %%
plt.switch_backend("agg")
plt.plot([3])
plt.show()
