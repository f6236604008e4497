# %%
import matplotlib.pyplot as plt
plt.plot([1, 2, 3]);
# %%
fig, ax = plt.subplots()
ax.plot([1, 2])
"value"
