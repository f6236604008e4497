import os
class A:
    run = os.system
    run('x')
