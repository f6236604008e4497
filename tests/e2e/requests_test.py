"""Requests that are wrong: each is refused with a reason, and the session stays as it was."""
import socket
import unittest

import grpc

from support import (EXHAUSTED, INVALID, NOT_FOUND, SessionTest, error_info, new_id, runtime_pb2,
                     runtime_pb2_grpc)

MESSAGE_LIMIT = 4 << 20
BAD_IDS = ("", "x", "../../x", "/", "0" * 32, "x" * 10000, "a\nb", "\u202e", "%00")


def calls(stub, session_id):
    """Every call that names a session, by name."""
    target = {"session_id": session_id, "path": b"x"}
    simple = {
        "GetSession": {}, "DeleteSession": {}, "Kill": {}, "Interrupt": {}, "Cancel": {},
        "GetExecution": {"execution_id": "x"}, "ProvideInput": {"execution_id": "x"},
        "RemoveFile": {"path": b"x"}, "Execute": {"code": b"1"},
        "AttachExecution": {"execution_id": "x"}, "DownloadFile": {"path": b"x"}, "ListFiles": {},
    }
    streams = ("Execute", "AttachExecution", "DownloadFile", "ListFiles")
    for name, fields in simple.items():
        request = getattr(runtime_pb2, name + "Request")(session_id=session_id, **fields)
        method = getattr(stub, name)
        if name in streams:
            yield name, lambda m=method, r=request: list(m(r, timeout=30))
        else:
            yield name, lambda m=method, r=request: m(r, timeout=30)
    yield "UploadFile", lambda: stub.UploadFile(
        iter([runtime_pb2.UploadFileRequest(target=target)]), timeout=30)


class Ids(SessionTest):
    def test_sessions_that_are_not_there_on_every_call(self):
        for session_id in (*BAD_IDS, self.session.id + "0", self.session.id[:-1],
                           self.session.id.swapcase()):
            if session_id == self.session.id:
                continue
            for name, call in calls(self.session.stub, session_id):
                with self.subTest(call=name, session_id=session_id[:40]):
                    info = self.assert_status((NOT_FOUND, INVALID), call)
                    self.assertIsNotNone(info)
                    self.assertIn(info.reason, ("SESSION_NOT_FOUND", "BAD_FIELD"))
        self.check_usable()

    def test_deleted_sessions_on_every_call(self):
        gone = self.new_session()
        gone.delete()
        for name, call in calls(gone.stub, gone.id):
            with self.subTest(call=name):
                self.assert_status(NOT_FOUND, call, "SESSION_NOT_FOUND")

    def test_executions(self):
        for execution in ("x" * 129, "a/b", "a b", "ü", "a\n", "..", "%"):
            with self.subTest(execution=execution[:40]):
                info = self.assert_status(INVALID, lambda: self.session.run(
                    "1", execution_id=execution), "BAD_FIELD")
                self.assertEqual(info.object, "execution_id")
        self.assertEqual(self.session.outcome("1", execution_id="A-_9" * 32), "OK")
        for call in (lambda: self.session.execution("nothing"),
                     lambda: list(self.session.attach("nothing")),
                     lambda: self.session.cancel("nothing"),
                     lambda: self.session.interrupt("nothing")):
            self.assert_status(NOT_FOUND, call, "EXECUTION_NOT_FOUND")


class Execute(SessionTest):
    def test_code_that_is_none(self):
        for code in (b"x = '\0'", b"\xff\xfe", b"caf\xe9", b"#" * ((4 << 20) + 1)):
            with self.subTest(code=code[:20]):
                codes = (INVALID, EXHAUSTED)
                self.assert_status(codes, lambda: self.session.run(code))
        self.check_usable()

    def test_other_fields(self):
        for fields, name in (({"name": "x" * 300}, "name"), ({"name": "a\0b"}, "name"),
                             ({"user_expressions": {"": "1"}}, "user_expressions"),
                             ({"user_expressions": {str(i): "1" for i in range(65)}},
                              "user_expressions"),
                             ({"user_expressions": {"x": "1" * 70000}}, "user_expressions"),
                             ({"on_disconnect": 7}, "on_disconnect")):
            with self.subTest(name=name):
                info = self.assert_status(INVALID, lambda: self.session.run("1", **fields),
                                          "BAD_FIELD")
                self.assertEqual(info.object, name)
        self.check_usable()

    def test_nothing_ran_of_a_refused_request(self):
        self.session.run("ran = 0")
        for fields in ({"timeout": {"seconds": -1}}, {"on_error": 1}, {"checkpoint": 1},
                       {"execution_id": "a b"}):
            with self.assertRaises(grpc.RpcError):
                self.session.run("ran += 1", **fields)
        self.assertEqual(self.session.stdout("print(ran)"), b"0\n")

    def test_later_calls_are_unimplemented(self):
        stub, fields = self.session.stub, {"session_id": self.session.id}
        for call in (lambda: stub.Checkpoint(runtime_pb2.CheckpointRequest(**fields)),
                     lambda: stub.Restore(runtime_pb2.RestoreRequest(**fields)),
                     lambda: stub.ListCheckpoints(runtime_pb2.ListCheckpointsRequest(**fields)),
                     lambda: stub.DropCheckpoint(runtime_pb2.DropCheckpointRequest(**fields)),
                     lambda: stub.ForkSession(runtime_pb2.ForkSessionRequest(**fields)),
                     lambda: self.session.run("1", on_error=1),
                     lambda: self.session.run("1", checkpoint=1),
                     lambda: self.session.run("1", checkpoint=2)):
            self.assert_status(grpc.StatusCode.UNIMPLEMENTED, call, "NOT_IMPLEMENTED")


class Wire(SessionTest):
    def raw(self, method, data):
        return self.daemon.channel.unary_unary(f"/cellblock.v1.Runtime/{method}")(data, timeout=30)

    def raw_stream(self, method, data):
        return list(self.daemon.channel.unary_stream(f"/cellblock.v1.Runtime/{method}")(
            data, timeout=30))

    def test_messages_over_the_limit(self):
        limit = self.daemon.info().max_message_bytes
        before = self.daemon.resident_bytes()
        for _ in range(3):
            self.assert_status(EXHAUSTED, lambda: self.raw_stream("Execute", b"\0" * (limit + 1)))
        self.assertLess(self.daemon.resident_bytes() - before, 3 * limit)
        self.check_usable()

    def test_bytes_that_are_no_message(self):
        for data in (b"\xff" * 100, b"\x0a\xff\xff\xff\xff\x0fx", b"\x0b" * 1000, b"\x0a\x02\xff\xfe"):
            with self.subTest(data=data[:10]):
                with self.assertRaises(grpc.RpcError):
                    self.raw("GetSession", data)
        self.check_usable()

    def test_unknown_fields_are_ignored(self):
        request = runtime_pb2.GetSessionRequest(session_id=self.session.id).SerializeToString()
        unknown = b"\xfa\x3f" + b"\x80\x80\x40" + b"x" * (1 << 20)
        reply = runtime_pb2.Session.FromString(self.raw("GetSession", request + unknown))
        self.assertEqual(reply.id, self.session.id)

    def test_metadata_that_is_too_large(self):
        # On a connection of its own: the server may end it.
        with grpc.insecure_channel("unix:" + self.daemon.socket,
                                   options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            with self.assertRaises(grpc.RpcError) as caught:
                runtime_pb2_grpc.RuntimeStub(channel).GetServerInfo(
                    runtime_pb2.GetServerInfoRequest(), timeout=20,
                    metadata=[("x-large", "x" * (1 << 20))])
        self.assertIn(caught.exception.code(), (EXHAUSTED, grpc.StatusCode.UNAVAILABLE,
                                                grpc.StatusCode.INTERNAL))
        self.check_usable()

    def test_methods_that_are_not_there(self):
        with self.assertRaises(grpc.RpcError) as caught:
            self.raw("Nothing", b"")
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)

    def test_bytes_that_are_no_http(self):
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                     + b"\xff" * 10000):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(20)
                connection.connect(self.daemon.socket)
                try:
                    connection.sendall(data)
                    while connection.recv(65536):
                        pass
                except (ConnectionError, TimeoutError):
                    pass
        self.check_usable()

    def test_connections_that_say_nothing(self):
        idle = []
        try:
            for _ in range(200):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(self.daemon.socket)
                idle.append(connection)
            self.check_usable()
        finally:
            for connection in idle:
                connection.close()

    def test_many_calls_at_once(self):
        pending = [self.session.stub.GetSession.future(
            runtime_pb2.GetSessionRequest(session_id=self.session.id), timeout=60)
            for _ in range(2000)]
        self.assertEqual({call.result().id for call in pending}, {self.session.id})

    def test_every_error_says_why(self):
        for call in (lambda: self.session.execution(new_id()),
                     lambda: self.session.download(b"missing"),
                     lambda: self.session.upload(b"..", b""),
                     lambda: self.daemon.session(policy="missing")):
            with self.assertRaises(grpc.RpcError) as caught:
                call()
            info = error_info(caught.exception)
            self.assertTrue(info.reason.isupper(), caught.exception)
            self.assertTrue(info.object, info)


if __name__ == "__main__":
    unittest.main()
