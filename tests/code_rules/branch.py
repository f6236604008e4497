import os
r = print
if input():
    r = os.system
r('x')
