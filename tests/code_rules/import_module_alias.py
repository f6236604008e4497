from importlib import import_module as m
m('os').system('x')
