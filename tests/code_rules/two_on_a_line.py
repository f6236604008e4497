import os; os.system('x'); os.remove('f')
