# One ordinary user without groups, who can become nobody else; host ids are ordinary too.
ids = os.getresuid() + os.getresgid()
expect("ids", set(ids) == {1000}, ids)
expect("groups", set(os.getgroups()) <= {1000}, os.getgroups())
for name, act in (("setuid", lambda: os.setuid(0)), ("setgid", lambda: os.setgid(0)),
                  ("setresuid", lambda: os.setresuid(0, 0, 0)), ("seteuid", lambda: os.seteuid(65534)),
                  ("setgroups", lambda: os.setgroups([0]))):
    fails(name, act)
for name in ("uid_map", "gid_map"):
    rows = [list(map(int, line.split())) for line in open("/proc/self/" + name)]
    expect(name, sum(row[2] for row in rows) <= 2, rows)
    # Row: inside, outside as this namespace's parent sees it, length.
    expect(name + " outside", all(row[1] >= 65536 for row in rows), rows)
for name in ("uid_map", "gid_map", "setgroups"):
    fails("write " + name, lambda: os.write(os.open("/proc/self/" + name, os.O_WRONLY), b"0 0 1"))
verdict()
