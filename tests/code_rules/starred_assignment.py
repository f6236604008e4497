import os
*a, b = 1, os
a[0].system('x')
