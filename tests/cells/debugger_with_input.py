# %% inputs="p x|c"
x = 5
breakpoint()
print("reached")
