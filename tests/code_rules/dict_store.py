import os
d = {}
d['o'] = os
d['o'].system('x')
