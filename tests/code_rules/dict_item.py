import os
d = {'a': os}
d['a'].system('x')
