"""What the result says about a refused act: rule, subject, attempt and a remedy that a model can read."""
import unittest

from support import DaemonTest

NETWORK = "network.allow"

# name -> (code, rule, subject; None = whatever)
CASES = {
    "urllib": ("import urllib.request\nurllib.request.urlopen('https://example.org/data.csv')",
               NETWORK, "example.org:443"),
    "pandas": ("import pandas\npandas.read_csv('http://example.org/data.csv')", NETWORK,
               "example.org:80"),
    "a name": ("import socket\nsocket.gethostbyname('example.org')", NETWORK, None),
    "an address": ("import socket\nsocket.create_connection(('192.0.2.1', 443), 5)", NETWORK,
                   "192.0.2.1:443"),
    "caught and raised anew": (
        "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 80), 5)\n"
        "except OSError:\n    raise ValueError('no data')", NETWORK, "192.0.2.1:80"),
    "the image": ("open('/usr/lib/x', 'w')", "filesystem", "/usr/lib/x"),
    "pip": ("import pathlib\npathlib.Path('/opt/x').mkdir()", "filesystem", "/opt/x"),
    "priority": ("import os\nos.nice(-5)", "syscalls", "os.nice(-5)"),
    "a large file": ("open('x', 'wb').truncate(1 << 50)", "limits.file_size_bytes", None),
    "descriptors": ("import os\nwhile True: os.open('/dev/null', os.O_RDONLY)",
                    "limits.open_files", "/dev/null"),
    "a full disk": ("f = open('big', 'wb')\nwhile True: f.write(bytes(1 << 20))",
                    "limits.disk_bytes", None),
}
NOT_REFUSED = {
    "a missing file": "open('/data/x.csv')",
    "nobody listens": "import socket\nsocket.create_connection(('127.0.0.1', 9), 5)",
    "own modes": "import os\nopen('own', 'w').close()\nos.chmod('own', 0)\nopen('own')",
    "an ordinary error": "1 / 0",
}


class Denials(DaemonTest):
    def test_what_is_refused(self):
        for name, (code, rule, subject) in CASES.items():
            with self.subTest(name):
                result = self.new_session().run(code)
                self.assert_outcome(result, "EXCEPTION")
                self.assertEqual([denial.rule for denial in result.denials], [rule], result.error)
                denial = result.denials[0]
                if subject is not None:
                    self.assertEqual(denial.subject, subject)
                self.assertTrue(denial.reason and denial.attempt and denial.remedy)
                self.assertEqual(denial.count, 1)

    def test_what_is_not(self):
        for name, code in NOT_REFUSED.items():
            with self.subTest(name):
                result = self.new_session().run(code)
                self.assert_outcome(result, "EXCEPTION")
                self.assertEqual(list(result.denials), [])


if __name__ == "__main__":
    unittest.main()
