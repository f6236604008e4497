%system ls
