import builtins
getattr(builtins, 'ev' + 'al')('1')
