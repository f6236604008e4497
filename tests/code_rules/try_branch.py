try:
    import os as m
except ImportError:
    m = None
m.system('x')
