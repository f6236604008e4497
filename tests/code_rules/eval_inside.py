eval("__import__('os').system('x')")
