# %%
import matplotlib.pyplot as plt
plt.plot([1, 2])
print("text")
plt.show()
{"answer": 42}
