def f():
    global o
    import os as o
def g():
    o.system('x')
