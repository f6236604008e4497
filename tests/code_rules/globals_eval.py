globals()['eval']('1')
