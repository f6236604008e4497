import os
getattr(os, 'metsys'[::-1])('x')
