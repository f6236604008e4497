import os
x = os
x.system('x')
