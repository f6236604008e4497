# %%
%matplotlib inline
import matplotlib.pyplot as plt
plt.plot([1])
plt.show()
# %%
%config InlineBackend.figure_format = "svg"
# %%
plt.plot([1]);
# %%
%matplotlib notebook
