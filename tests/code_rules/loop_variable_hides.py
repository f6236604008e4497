for os in range(3):
    os.system('x')
