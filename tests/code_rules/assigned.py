import os
x = os.system
x('x')
