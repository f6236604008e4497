# A set-id program gives no privilege.
status = open("/proc/self/status").read()
expect("NoNewPrivs", "NoNewPrivs:\t1" in status)
expect("prctl", _libc.prctl(39, 0, 0, 0, 0) == 1)
verdict()
