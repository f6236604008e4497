import os
if (y := os.system):
    y('x')
