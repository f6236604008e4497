x = !ls
