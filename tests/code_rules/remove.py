import os
os.remove('f')
