import os
[os][0].system('x')
