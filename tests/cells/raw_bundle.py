# %%
display({"text/plain": "p", "text/html": "<p>", "application/x-own+json": {"k": 1}}, raw=True, metadata={"text/html": {"isolated": True}})
