import os, sys
a, b = os, sys
a.system('x')
