# A call that nobody knows is an errno, never the end of the program. (335 and 336 are the
# kernel's own trampolines: no filter sees them, and a caller from elsewhere is killed by the kernel.)
for number in (400, 1000, 5000, 100000):
    result, error = call(number, 0, 0, 0)
    expect(number, result == -1 and error in ("ENOSYS", "EPERM"), (result, error))
verdict()
