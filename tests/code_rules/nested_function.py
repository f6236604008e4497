def f():
    import os
    def g():
        os.system('x')
    g()
