import os
getattr(os, chr(115) + 'ystem')('x')
