import os
os.__getattribute__('system')('x')
