# os.system('x')
x = "os.system('x')"
