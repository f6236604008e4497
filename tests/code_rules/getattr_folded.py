import os
getattr(os, 'sys' + 'tem')('x')
