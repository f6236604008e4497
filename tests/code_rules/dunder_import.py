__import__('os').system('x')
