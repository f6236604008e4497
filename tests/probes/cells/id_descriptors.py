# Standard input is empty, output goes to pipes; besides them only the interpreter's own.
import stat
kinds = {}
for name in os.listdir("/proc/self/fd"):
    try:
        target = os.readlink("/proc/self/fd/" + name)
    except FileNotFoundError:
        continue  # the listing's own
    kinds[int(name)] = target
    if target.startswith("/"):
        inside = target == "/dev/null" or os.path.exists(target.replace(" (deleted)", ""))
        expect("descriptor " + name, inside or "(deleted)" in target, target)
    if stat.S_ISDIR(os.fstat(int(name)).st_mode):
        expect("folder " + name, target.startswith(("/work", "/proc")), target)
expect("0", kinds[0] == "/dev/null", kinds[0])
expect("1", kinds[1].startswith("pipe:"), kinds[1])
sockets = [n for n, target in kinds.items() if target.startswith("socket:")]
expect("sockets", len(sockets) <= 1, kinds)
verdict(kinds)
