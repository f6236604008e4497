# Limits are set, and hard ones cannot be raised.
import resource
for name, most in (("NOFILE", 1 << 16), ("FSIZE", 1 << 40), ("CORE", 0), ("MEMLOCK", 64 << 20),
                   ("MSGQUEUE", 1 << 20), ("STACK", 1 << 30)):
    number = getattr(resource, "RLIMIT_" + name)
    soft, hard = resource.getrlimit(number)
    expect(name, 0 <= hard <= most, (soft, hard))
    try:
        resource.setrlimit(number, (soft, hard + 1))
        through.append("raised " + name)
    except (OSError, ValueError):
        pass
verdict()
