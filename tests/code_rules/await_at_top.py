import os
await os.system('x')
