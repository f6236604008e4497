# No core files: they would fill the disk, and the host's handler runs as root.
import resource
expect("RLIMIT_CORE", resource.getrlimit(resource.RLIMIT_CORE) == (0, 0))
try:
    resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
    through.append("the limit was raised")
except (OSError, ValueError):
    pass
verdict()
