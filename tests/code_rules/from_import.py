from os import system
system('x')
