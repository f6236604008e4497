"""The analyser: every case of tests/code_rules, hostile code, and malformed rules."""
import json
import sys
import unittest
from pathlib import Path

from worker_process import SOURCE

sys.path.insert(0, str(SOURCE))

from cellblock_worker.analyse import analyse  # noqa: E402
from cellblock_worker.code_rules import BadRules  # noqa: E402

CASES = Path(__file__).resolve().parents[1] / "code_rules"
RULES = json.loads((CASES / "rules.json").read_text("utf-8"))


def told(report):
    error = report["syntax_error"]
    if error is not None:
        return ["%s %d %s" % (error["type"], error["line"], error["message"])]
    return ["%d %s %s" % (f["line"], f["action"], f["name"]) for f in report["findings"]]


class Cases(unittest.TestCase):
    def test_every_case(self):
        cases = sorted(CASES.glob("*.py"))
        self.assertGreaterEqual(len(cases), 80)
        for case in cases:
            with self.subTest(case.stem):
                expected = case.with_suffix(".expect").read_text("utf-8").splitlines()
                self.assertEqual(told(analyse(case.read_bytes(), RULES)), expected)

    def test_syntax_errors_are_the_interpreters_own(self):
        for case in sorted(CASES.glob("syntax_error*.py")):
            with self.subTest(case.stem):
                report = analyse(case.read_bytes(), RULES)
                try:
                    compile(case.read_text("utf-8"), "cell", "exec")
                    self.fail("it compiles")
                except SyntaxError as error:
                    found = report["syntax_error"]
                    self.assertEqual(
                        (found["type"], found["message"], found["line"], found["offset"],
                         found["end_line"], found["end_offset"], found["text"]),
                        (type(error).__name__, error.msg, error.lineno, error.offset,
                         error.end_lineno, error.end_offset, error.text or ""))
                except ValueError as error:
                    self.assertEqual(report["syntax_error"]["message"], str(error))


class Reports(unittest.TestCase):
    def test_a_finding_says_where_and_what_to_do(self):
        report = analyse("import os\nx = 'é'; os.system('ls')\n".encode(), RULES)
        self.assertEqual(report["action"], "REFUSE")
        self.assertEqual(report["findings"], [{
            "pattern": "os.system", "action": "REFUSE", "reason": "starts programs",
            "remedy": "use Python's own functions", "name": "os.system", "line": 2, "column": 10,
            "end_line": 2, "end_column": 19, "excerpt": "x = 'é'; os.system('ls')",
            "dynamic": False}])

    def test_what_may_be_meant_is_only_a_warning(self):
        report = analyse(b"import os\ngetattr(os, input())", RULES)
        self.assertEqual(report["action"], "WARN")
        self.assertTrue(report["findings"][0]["dynamic"])

    def test_without_rules_nothing_is_found(self):
        self.assertEqual(analyse(b"import os\nos.system(1)", [])["action"], "ALLOW")


class Hostile(unittest.TestCase):
    def check_refused(self, code):
        report = analyse(code, RULES)
        self.assertTrue(report["incomplete"])
        self.assertEqual(report["action"], "REFUSE")

    def test_too_large(self):
        self.check_refused(b"#" * ((10 << 20) + 1))

    def test_as_large_as_may_be(self):
        self.assertEqual(analyse(b"#" * (10 << 20), RULES)["action"], "ALLOW")

    def test_deep_nesting(self):
        self.check_refused(b"a" + b"+a" * 20000)
        self.check_refused(b"-" * 50000 + b"1")
        self.check_refused(b"a" + b".a" * 20000)

    def test_nesting_that_compiles_is_looked_into(self):
        report = analyse(b"import os\n" + b"[" * 90 + b"os.system" + b"]" * 90, RULES)
        self.assertEqual(told(report), ["2 REFUSE os.system"])

    def test_a_name_with_too_many_values(self):
        code = "if c:\n" + "".join("  x = mod%d\n" % i for i in range(100)) + "x.system()\n"
        self.check_refused(code.encode())

    def test_code_in_text_in_code(self):
        code = "1"
        for _ in range(6):
            code = "eval(%r)" % code
        self.check_refused(code.encode())

    def test_folding_does_not_grow(self):
        code = "x = 'a'\n" + "x = x + x\n" * 100 + "getattr(os, x)\n"
        self.assertEqual(told(analyse(code.encode(), RULES)), ["102 WARN os"])
        analyse(b"getattr(os, bytes(10 ** 12))", RULES)
        analyse(b"getattr(os, '%999999999s' % 'a')", RULES)

    def test_many_findings_are_counted(self):
        report = analyse(b"import os\n" + b"os.system(1)\n" * 500, RULES)
        self.assertEqual((len(report["findings"]), report["left_off"]), (200, 300))

    def test_not_utf8(self):
        self.assertEqual(analyse(b"\xff", RULES)["syntax_error"]["type"], "SyntaxError")

    def test_the_recursion_limit_is_put_back(self):
        before = sys.getrecursionlimit()
        analyse(b"1", RULES)
        self.assertEqual(sys.getrecursionlimit(), before)


class MalformedRules(unittest.TestCase):
    def test_each_says_its_field(self):
        good = {"patterns": ["os.system"], "action": "WARN", "reason": "r"}
        for change, words in (
                ({"patterns": []}, "rules[0].patterns: is empty"),
                ({"patterns": ["os..x"]}, "rules[0].patterns[0]: must be a dotted name"),
                ({"patterns": ["a" * 201]}, "rules[0].patterns[0]"),
                ({"patterns": [1]}, "rules[0].patterns[0]"),
                ({"action": "STOP"}, "rules[0].action: must be one of"),
                ({"reason": " "}, "rules[0].reason: is empty"),
                ({"remedy": 1}, "rules[0].remedy: must be text"),
                ({"extra": 1}, "rules[0]: no such field: extra"),
                ({"patterns": ["a"] * 5000}, "more than 4096 patterns")):
            with self.subTest(words):
                with self.assertRaises(BadRules) as caught:
                    analyse(b"1", [{**good, **change}])
                self.assertIn(words, str(caught.exception))
        for rules in ({}, None, [1]):
            with self.assertRaises(BadRules):
                analyse(b"1", rules)


if __name__ == "__main__":
    unittest.main()
