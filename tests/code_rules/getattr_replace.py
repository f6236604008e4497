import os
getattr(os, 'sXstem'.replace('X', 'y'))('x')
