# %%
import contextlib, io
buffer = io.StringIO()
with contextlib.redirect_stdout(buffer):
    print("captured")
buffer.getvalue()
# %%
%%capture cap
print("captured too")
display("shown")
# %%
cap.stdout
