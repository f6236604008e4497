"""A bare ipykernel. For each line N on standard input: runs 1+1 N times through jupyter_client and
writes the times in microseconds as one JSON list."""
import json
import os
import sys
import time

from jupyter_client.manager import KernelManager

TIMEOUT = 120


def round_trip(client):
    """Until both the reply and the last message of the cell's output are there."""
    message = client.execute("1+1")
    while True:
        output = client.get_iopub_msg(timeout=TIMEOUT)
        if (output["parent_header"].get("msg_id") == message and output["msg_type"] == "status"
                and output["content"]["execution_state"] == "idle"):
            break
    while client.get_shell_msg(timeout=TIMEOUT)["parent_header"].get("msg_id") != message:
        pass


os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # the debugger's warning; nobody debugs
manager = KernelManager()
manager.kernel_spec.argv[0] = sys.executable
manager.start_kernel(stdout=sys.stderr)
try:
    kernel = manager.blocking_client()
    kernel.start_channels()
    kernel.wait_for_ready(timeout=TIMEOUT)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            began = time.perf_counter()
            round_trip(kernel)
            times.append((time.perf_counter() - began) * 1e6)
        print(json.dumps(times), flush=True)
    kernel.stop_channels()
finally:
    manager.shutdown_kernel(now=True)
