import os
[os.system(x) for x in 'ab']
