import os
a = b = os
b.system('x')
