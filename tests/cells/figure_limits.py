# %%
import matplotlib.pyplot as plt
plt.rcParams["figure.max_open_warning"] = 0
for i in range(25):
    plt.figure(figsize=(1, 1))
    plt.plot([i])
# %%
plt.figure(figsize=(300, 300), dpi=100)
plt.plot([1]);
