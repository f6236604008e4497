import os
class A:
    os = 1
    def f(self):
        os.system('x')
