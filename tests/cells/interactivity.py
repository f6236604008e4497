# %%
%config InteractiveShell.ast_node_interactivity = "last_expr_or_assign"
# %%
y = 9
# %%
from IPython.core.interactiveshell import InteractiveShell
InteractiveShell.ast_node_interactivity = "all"
# %%
1
x = 2
x
