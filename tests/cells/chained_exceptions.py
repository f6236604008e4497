# %%
try:
    1 / 0
except ZeroDivisionError:
    raise ValueError("second")
# %%
try:
    1 / 0
except ZeroDivisionError as error:
    raise ValueError("caused") from error
