# %% name=analysis.py
1 / 0
# %% name=analysis.py
2 / 0
