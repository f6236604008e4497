# %%
import matplotlib.pyplot as plt
plt.figure(); plt.plot([1])
plt.figure(); plt.plot([2]);
# %%
plt.figure(); plt.plot([1])
plt.figure(); plt.plot([2])
plt.show()
