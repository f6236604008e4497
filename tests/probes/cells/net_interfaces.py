# Loopback, and nothing else.
lines = open("/proc/net/dev").read().splitlines()[2:]
expect("interfaces", [line.split(":")[0].strip() for line in lines] == ["lo"], lines)
expect("routes", len(open("/proc/net/route").read().splitlines()) <= 1)
expect("neighbours", len(open("/proc/net/arp").read().splitlines()) <= 1)
verdict()
