import os
n = 'sys'
n += 'tem'
getattr(os, n)('x')
