# %%
handle = display("first", display_id=True)
# %%
handle.update("second")
# %%
from IPython.display import update_display
display("named", display_id="mine")
update_display("renamed", display_id="mine")
