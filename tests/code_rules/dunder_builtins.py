__builtins__.eval('1')
