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
fig = plt.figure()
plt.plot([1])
fig
# %%
%config InlineBackend.figure_format = "retina"
# %%
plt.plot([1])
plt.show()
# %%
%matplotlib notebook
