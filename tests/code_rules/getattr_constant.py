import os
getattr(os, 'system')('x')
