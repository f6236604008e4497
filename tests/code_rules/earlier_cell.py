os.system('x')
