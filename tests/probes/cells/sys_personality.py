# No executable data, no page zero, no other system's rules. Asking, and switching off one's own
# randomisation, the policy allows.
for name, value in (("READ_IMPLIES_EXEC", 0x400000),
                    ("MMAP_PAGE_ZERO", 0x100000), ("both", 0x40000 | 0x400000), ("UNAME26", 0x20000),
                    ("PER_LINUX32", 8), ("high bits", 1 << 32 | 0x400000)):
    refused(name, 135, value)
expect("query", call(135, 0xffffffff)[0] >= 0)
verdict()
