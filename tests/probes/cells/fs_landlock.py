# Writes below the writable places alone, whatever modes say.
for path in ("/work", "/tmp", "/dev/shm", os.environ["HOME"]):
    with open(os.path.join(path, "probe"), "w") as file:
        file.write("x")
    os.unlink(os.path.join(path, "probe"))
writable = []
for top, folders, _ in os.walk("/", followlinks=False):
    folders[:] = [f for f in folders if os.path.join(top, f) not in ("/proc", "/work", "/tmp", "/dev/shm",
                                                                    os.environ["HOME"], "/var/tmp", "/usr")]
    if top not in ("/", "/dev"):
        try:
            os.close(os.open(os.path.join(top, ".probe"), os.O_CREAT | os.O_WRONLY))
            writable.append(top)
        except OSError:
            pass
expect("writable", not writable, writable)
verdict()
