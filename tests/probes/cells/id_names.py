# The host's name, boot and machine identity do not show.
expect("hostname", os.uname().nodename == "cellblock", os.uname().nodename)
expect("domain", open("/proc/sys/kernel/domainname").read().strip() in ("", "(none)"))
for path in ("/etc/machine-id", "/var/lib/dbus/machine-id", "/sys/class/dmi/id/product_uuid"):
    fails(path, lambda path=path: open(path).read())
verdict()
