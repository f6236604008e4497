from shutil import rmtree
rmtree('d')
