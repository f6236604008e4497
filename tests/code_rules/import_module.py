import importlib
importlib.import_module('subprocess').run('x')
