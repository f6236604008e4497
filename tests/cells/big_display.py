# %% max_display_bytes=8000000
display({"text/plain": "p", "text/html": "z" * 5_000_000}, raw=True)
