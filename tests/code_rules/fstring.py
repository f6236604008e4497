import os
f'{os.system(1)}'
