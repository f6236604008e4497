import importlib as i
i.import_module(name='os').system('x')
