import os
f = lambda: os.system('x')
