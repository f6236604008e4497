import os
[m.system('x') for m in [os]]
