# The old and the new calls about mounts.
for name, number, *arguments in (
        ("mount", 165, b"none", b"/tmp", b"tmpfs", 0, 0), ("umount2", 166, b"/tmp", 0),
        ("pivot_root", 155, b".", b"."), ("chroot", 161, b"/tmp"), ("open_tree", 428, -100, b"/", 0),
        ("move_mount", 429, -100, b"/tmp", -100, b"/work", 0), ("fsopen", 430, b"tmpfs", 0),
        ("fsconfig", 431, 0, 0, 0, 0, 0), ("fsmount", 432, 0, 0, 0), ("fspick", 433, -100, b"/", 0),
        ("mount_setattr", 442, -100, b"/tmp", 0, 0, 0), ("statmount", 457, 0, 0, 0, 0),
        ("listmount", 458, 0, 0, 0, 0), ("open_tree_attr", 467, -100, b"/", 0, 0, 0)):
    refused(name, number, *arguments)
verdict()
