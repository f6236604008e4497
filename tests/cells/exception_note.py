# %%
error = ValueError("with a note")
error.add_note("look here")
raise error
