import os
n = 'getpid'
if input():
    n = 'system'
getattr(os, n)
