# Set-id bits, file capabilities and overlay attributes have no effect or are refused.
import shutil
import subprocess
shutil.copy("/usr/bin/id", "/work/id")
try:
    os.chmod("/work/id", 0o6755)
except OSError:
    pass
out = subprocess.run(["/work/id", "-u"], capture_output=True, text=True).stdout
expect("set-id", out.strip() in ("1000", ""), out)
fails("capability", lambda: os.setxattr("/work/id", "security.capability",
                                        b"\x01\0\0\x02\0\x20\0\0" + b"\0" * 12))
for name in ("trusted.overlay.opaque", "trusted.overlay.redirect", "trusted.overlay.metacopy"):
    fails(name, lambda: os.setxattr("/work/id", name, b"y"))
os.unlink("/work/id")
for line in open("/proc/mounts"):
    if line.split()[1] in ("/", "/usr"):
        expect("nosuid on " + line.split()[1], "nosuid" in line.split()[3].split(","), line)
verdict()
