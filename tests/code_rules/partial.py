import functools, os
f = functools.partial(os.system, 'x')
f()
