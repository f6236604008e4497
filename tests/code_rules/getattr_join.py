import os
getattr(os, ''.join(['sys', 'tem']))('x')
