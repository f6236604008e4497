def f():
    o.system('x')
import os as o
f()
