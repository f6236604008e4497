def f():
    pass
f.__globals__['os'].system('x')
