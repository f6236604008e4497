import os
os.system('x')
