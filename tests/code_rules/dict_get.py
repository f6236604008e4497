import os
{'a': os}.get('a').system('x')
