from . import system
system('x')
