import os
n = 'tem'
getattr(os, f'sys{n}')('x')
