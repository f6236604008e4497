"""The wire by itself: golden frames, malformed messages, and the agreement with worker.proto."""
import json
import random
import shutil
import subprocess
import unittest
from pathlib import Path

import golden
from golden import frame, wire

PROTO = Path(__file__).resolve().parents[2] / "proto" / "internal"


class GoldenFrames(unittest.TestCase):
    def test_encoding_is_unchanged(self):
        for name in golden.FRAMES:
            with self.subTest(name):
                self.assertEqual((golden.FOLDER / (name + ".bin")).read_bytes(),
                                 golden.datagram(name))
                self.assertEqual(json.loads((golden.FOLDER / (name + ".json")).read_text("utf-8")),
                                 golden.description(name))

    def test_decoding_gives_the_fields_back(self):
        for name, (kind, _, schema, flags, cell, fields) in golden.FRAMES.items():
            parsed = frame.parse((golden.FOLDER / (name + ".bin")).read_bytes())
            self.assertEqual(parsed[:4], (kind, bool(flags), golden.INCARNATION, cell))
            if schema is not None:
                decoded = wire.decode(schema, parsed[4])
                self.assertEqual(wire.encode(schema, decoded), wire.encode(schema, fields))
                self.assertEqual({k: v for k, v in decoded.items() if k in fields and k not in
                                  ("expressions", "frames")},
                                 {k: v for k, v in fields.items() if k not in
                                  ("expressions", "frames")})

    @unittest.skipUnless(shutil.which("protoc"), "needs protoc")
    def test_protoc_reads_them_and_writes_the_same(self):
        for name, (_, message, schema, _, _, _) in golden.FRAMES.items():
            if schema is None:
                continue
            payload = golden.datagram(name)[frame.HEADER_SIZE:]
            command = ["protoc", "-I", str(PROTO), "worker.proto"]
            message = "cellblock.internal." + message
            text = subprocess.run(command + ["--decode=" + message], input=payload,
                                  stdout=subprocess.PIPE, check=True).stdout
            self.assertNotRegex(text, rb"(?m)^ *\d+:", "a field that worker.proto does not have")
            back = subprocess.run(command + ["--encode=" + message], input=text,
                                  stdout=subprocess.PIPE, check=True).stdout
            self.assertEqual(back, payload, name)


class Messages(unittest.TestCase):
    def test_long_messages_travel_in_parts(self):
        payload = bytes(range(256)) * 1000
        parts = [frame.parse(d) for d in frame.split(frame.DISPLAY, 1, 2, payload)]
        self.assertEqual(b"".join(part[4] for part in parts), payload)
        self.assertEqual([part[1] for part in parts], [True] * (len(parts) - 1) + [False])
        self.assertTrue(all(len(part[4]) <= frame.MAX_PAYLOAD for part in parts))

    def test_a_full_payload_is_one_frame(self):
        self.assertEqual(len(list(frame.split(1, 1, 1, b"x" * frame.MAX_PAYLOAD))), 1)
        self.assertEqual(len(list(frame.split(1, 1, 1, b""))), 1)

    def test_what_is_no_frame(self):
        self.assertIsNone(frame.parse(b"x" * (frame.HEADER_SIZE - 1)))
        self.assertIsNone(frame.parse(b"x" * (frame.HEADER_SIZE + frame.MAX_PAYLOAD + 1)))

    def test_negative_numbers_and_unknown_fields(self):
        encoded = wire.encode(wire.DONE, {"execution_count": -1}) + b"\xfa\x01\x02zz\x55abcd"
        self.assertEqual(wire.decode(wire.DONE, encoded)["execution_count"], -1)

    def test_lone_surrogates_become_utf8(self):
        encoded = wire.encode(wire.ERROR, {"value": "a\udcffb"})
        self.assertEqual(wire.decode(wire.ERROR, encoded)["value"], "a\\udcffb")

    def test_malformed_messages_are_value_errors(self):
        chance = random.Random(1)
        whole = golden.datagram("run_cell")[frame.HEADER_SIZE:]
        for _ in range(3000):
            data = bytearray(whole[: chance.randrange(len(whole) + 1)])
            for _ in range(chance.randrange(3)):
                if data:
                    data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                wire.decode(wire.RUN_CELL, bytes(data))
            except ValueError:
                pass


if __name__ == "__main__":
    unittest.main()
