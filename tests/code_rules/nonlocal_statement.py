def f():
    o = None
    def g():
        nonlocal o
        import os as o
    def h():
        o.system('x')
