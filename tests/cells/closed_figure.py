# %%
import matplotlib.pyplot as plt
plt.plot([1])
plt.savefig("a.png")
plt.close()
# %%
plt.figure();
