# No process looks into another, its own child included.
child = os.fork()
if child == 0:
    import time
    time.sleep(30)
    os._exit(0)
word = ctypes.create_string_buffer(64)
for name, number, *arguments in (
        ("PTRACE_TRACEME", 101, 0, 0, 0, 0), ("PTRACE_ATTACH", 101, 16, child, 0, 0),
        ("PTRACE_SEIZE", 101, 0x4206, child, 0, 0), ("process_vm_readv", 310, child, 0, 0, 0, 0, 0),
        ("process_vm_writev", 311, child, 0, 0, 0, 0, 0), ("kcmp", 312, child, child, 0, 0, 0)):
    refused(name, number, *arguments)
handle, _ = call(434, child, 0)
refused("pidfd_getfd", 438, handle, 0, 0)
os.kill(child, 9)
os.waitpid(child, 0)
verdict()
