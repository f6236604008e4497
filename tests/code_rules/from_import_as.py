from os import system as s
s('x')
