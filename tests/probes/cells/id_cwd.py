# The current folder lies inside the root that was pivoted to.
expect("cwd", os.getcwd() == "/work" == os.readlink("/proc/self/cwd"), os.getcwd())
expect("root", os.readlink("/proc/self/root") == "/")
top = os.stat("/")
os.chdir("/")
for _ in range(50):
    os.chdir("..")
expect("..", (os.stat(".").st_dev, os.stat(".").st_ino) == (top.st_dev, top.st_ino))
os.chdir("/work")
verdict()
