import os
os = Foo()
os.system('x')
