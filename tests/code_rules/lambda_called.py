import os
(lambda o: o.system('x'))(os)
