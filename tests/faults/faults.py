"""What the fault tests share: the e2e support, and a policy with tighter limits."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from support import *  # noqa: E402,F401,F403
from support import ROOT, Daemon  # noqa: E402


def tightened_policy(folder, **fields):
    """A policy folder whose one policy is python.textproto with some numbers replaced."""
    with open(os.path.join(ROOT, "policies", "python.textproto")) as file:
        text = file.read()
    for name, value in fields.items():
        text, count = re.subn(rf"(?m)^(\s+{name}):? .*$", rf"\g<1>: {value}", text, count=1)
        if count == 0:
            text = re.sub(r"(?m)^limits \{$", f"limits {{\n  {name}: {value}", text, count=1)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "python.textproto"), "w") as file:
        file.write(text)
    return folder


def processes_inside(session):
    """How many processes the session has, init and worker included."""
    return int(session.stdout("import os; print(sum(p.isdigit() for p in os.listdir('/proc')))"))
