import os
def f(os):
    os.system('x')
