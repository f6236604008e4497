"""A client written from the .proto files alone, with Debian's python3-grpcio and
python3-grpc-tools. Usage: python_client.py unix:/run/cellblock/cellblockd.sock"""
import os
import sys
import tempfile

import grpc
from grpc_tools import protoc

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "proto")
stubs = tempfile.mkdtemp()
protoc.main(["protoc", f"-I{PROTO}", "-I/usr/include", f"--python_out={stubs}",
             f"--grpc_python_out={stubs}",
             *(f"{PROTO}/cellblock/v1/{name}.proto" for name in ("cell", "policy", "runtime"))])
sys.path.insert(0, stubs)

from cellblock.v1 import cell_pb2, runtime_pb2, runtime_pb2_grpc  # noqa: E402

CODE = b"""
import pandas as pd, matplotlib.pyplot as plt
frame = pd.DataFrame({"x": range(5), "y": [n * n for n in range(5)]})
frame.plot(x="x", y="y")
print("drawn")
frame
"""

channel = grpc.insecure_channel(sys.argv[1],
                                options=[("grpc.max_receive_message_length", 32 << 20)])
runtime = runtime_pb2_grpc.RuntimeStub(channel)
session = runtime.CreateSession(runtime_pb2.CreateSessionRequest())
for event in runtime.Execute(runtime_pb2.ExecuteRequest(session_id=session.id, code=CODE)):
    kind = event.WhichOneof("event")
    if kind == "output":
        print("printed:", event.output.data.decode().strip())
    elif kind == "display":
        with open("figure.png", "wb") as file:
            file.write(event.display.bundle.data["image/png"])
        print("figure.png written")
    elif kind == "value":
        print("a table:", event.value.bundle.data["application/vnd.cellblock.table+json"].decode())
    elif kind == "result":
        print("outcome:", cell_pb2.Outcome.Name(event.result.outcome))
runtime.DeleteSession(runtime_pb2.DeleteSessionRequest(session_id=session.id))
