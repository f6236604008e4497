import os
f = lambda r=os: r.system('x')
