# %%
import matplotlib.pyplot as plt
plt.plot([1])
1 / 0
# %%
plt.get_fignums()
