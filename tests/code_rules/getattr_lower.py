import os
getattr(os, 'SYSTEM'.lower())('x')
