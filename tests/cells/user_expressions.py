# %% expr.total=x+1 expr.bad=1/0 expr.syntax="x +" expr.missing=nothing
x = 41
# %% expr.a=x
1 / 0
