class A:
    pass
a = A()
a.system('x')
