import os
match 1:
    case x if os.system('x'):
        pass
