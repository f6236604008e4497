__import__('o' + 's').system('x')
