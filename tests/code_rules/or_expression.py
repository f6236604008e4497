import os
(None or os).system('x')
