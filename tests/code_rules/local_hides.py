import os
def f():
    os = Foo()
    os.system('x')
