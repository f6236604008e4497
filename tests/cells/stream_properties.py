# %%
import sys
(sys.stdout.isatty(), sys.stdout.encoding, sys.stdout.fileno(), sys.stderr.fileno(), sys.stdin.read(), sys.stdout.name)
# %%
print("50%\r100%\rdone")
# %%
sys.stdout.buffer.write(b"\xff\xfe raw")
# %%
print("h\u00e9llo \u4e2d\u6587 \U0001f600 \udcff")
# %%
print("a\r\nb\0c")
