# %%
import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
plt.show()
print("after")
# %%
plt.get_fignums()
# %%
plt.plot([1])
plt.show()
display("between")
plt.plot([2])
plt.show()
