%%time
import os
os.system('x')
