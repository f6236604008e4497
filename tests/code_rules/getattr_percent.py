import os
getattr(os, 'sys%s' % 'tem')('x')
