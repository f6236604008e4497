import os
os.__dict__['system']('x')
