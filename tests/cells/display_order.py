# %%
print("a")
display(1)
2
# %%
display(1)
1 / 0
# %%
for i in range(100):
    display(i)
    print(i)
# %%
import subprocess
for i in range(5):
    display(i)
    subprocess.run(["echo", str(i)])
# %%
from IPython.display import clear_output
print("gone")
clear_output()
print("seen")
# %%
get_ipython().ast_node_interactivity = "all"
# %%
1
print("a")
2
print("b")
3
