import os
globals()['os'].system('x')
