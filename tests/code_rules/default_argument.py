import os
def f(run=os.system):
    run('x')
