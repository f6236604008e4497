# Unix, IPv4 and IPv6 sockets, and no other family of any type.
for family in range(46):
    for kind in (1, 2, 3, 4, 5, 6, 10):
        # A raw socket of the unix family is one for datagrams.
        if family in (1, 2, 10) and kind in (1, 2, 5) or (family, kind) == (1, 3):
            continue
        result, error = call(41, family, kind, 0)
        if result >= 0:
            through.append((family, kind))
            os.close(result)
        elif family not in (1, 2, 10):
            expect((family, kind), error in ("EPERM", "EAFNOSUPPORT", "EACCES"), error)
for high in (1 << 32, 1 << 40):  # the kernel compares the low half
    result, error = call(41, high | 16, 3, 0)
    expect("netlink with high bits", result == -1, result)
verdict()
