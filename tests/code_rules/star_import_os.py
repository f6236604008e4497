from os import *
system('x')
