import os
vars(os)['system']('x')
