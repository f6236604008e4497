__builtins__.__dict__['eval']('1')
