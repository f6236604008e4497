"""Static analysis of a cell against code rules: what would it use, and what does the policy say?

analyse() is a pure function of its arguments; the code is data and is never run. It belongs inside
a sandbox of the session's image, since parsing alone may take much memory and time.
"""
import ast
import sys

from cellblock_worker import sources
from cellblock_worker.code_rules import Rules, stronger
from cellblock_worker.code_scopes import Overflow
from cellblock_worker.code_walk import Walker

MAX_SOURCE = 10 << 20  # bytes
MAX_FINDINGS = 200
MAX_EXCERPT = 200  # characters
MAX_NESTED = 3  # code in text in code
_RECURSION = 100_000  # Python frames live on the heap


def analyse(code, rules, transform=None):
    """The report on the bytes of a cell, as plain data.

    rules are those of code_rules.Rules (BadRules if they are malformed). transform turns IPython
    syntax into Python, text to text; without one, IPython's own stock transformers do.

    {"action": the strongest of the findings, "findings": [{"pattern", "action", "reason", "remedy",
    "name", "line", "column", "end_line", "end_column", "excerpt", "dynamic"}], "left_off": findings
    beyond 200, "syntax_error": None or {"type", "message", "line", "offset", "end_line",
    "end_offset", "text"}, "incomplete": "" or why not all was looked at}. Lines count from 1,
    columns from 1 in characters; offsets are the interpreter's own. Where the analysis is
    incomplete, the action is the strongest that the rules have.
    """
    rules = Rules(rules)
    report = {"action": "ALLOW", "findings": [], "left_off": 0, "syntax_error": None,
              "incomplete": ""}
    if len(code) > MAX_SOURCE:
        return _incomplete(report, rules, "the code is larger than 10 MiB")
    try:
        text = sources.normalize(code)
        plain = (transform or _stock_transform)(text)
        tree = _parse(plain)
    except (SyntaxError, ValueError, OverflowError) as error:
        report["syntax_error"] = _describe(error)
        return report
    except (RecursionError, MemoryError) as error:
        report["syntax_error"] = _describe(error)
        return _incomplete(report, rules, "the code is nested too deeply")
    shown = text if text.count("\n") == plain.rstrip("\n").count("\n") else plain
    search = _Search(rules, report, shown.split("\n"))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        search.walk(tree)
    except Overflow as error:
        _incomplete(report, rules, str(error))
    except (RecursionError, MemoryError):
        _incomplete(report, rules, "the code is nested too deeply")
    finally:
        sys.setrecursionlimit(limit)
    report["findings"].sort(key=lambda f: (f["line"], f["column"]))
    return report


class _Search:
    """Collects the findings of one cell."""

    def __init__(self, rules, report, lines):
        self._rules = rules
        self._report = report
        self._lines = lines
        self._seen = set()
        self._depth = 0
        self._place = None  # of the text in which nested code stands
        self._line_offset = 0

    def walk(self, tree):
        Walker(self._saw, self._nested).run(tree)

    def _saw(self, node, names, dynamic):
        for name in names:
            if not isinstance(name, str) or name.endswith("()"):
                continue
            found = self._rules.below(name) if dynamic else self._rules.match(name)
            if found is not None:
                self._add(node, name, dynamic, *found)

    def _add(self, node, name, dynamic, pattern, rule):
        node = self._place or node
        line = node.lineno + self._line_offset
        key = (id(rule), pattern, line, node.col_offset)
        if key in self._seen:
            return
        self._seen.add(key)
        # What may be meant is no ground to refuse.
        action = "WARN" if dynamic else rule.action
        self._report["action"] = stronger(self._report["action"], action)
        if len(self._report["findings"]) >= MAX_FINDINGS:
            self._report["left_off"] += 1
            return
        end_line = (node.end_lineno or node.lineno) + self._line_offset
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        self._report["findings"].append({
            "pattern": pattern, "action": action, "reason": rule.reason, "remedy": rule.remedy,
            "name": _shown(name), "line": line, "column": _column(text, node.col_offset),
            "end_line": end_line, "end_column": self._end_column(node, end_line),
            "excerpt": text.strip()[:MAX_EXCERPT], "dynamic": dynamic})

    def _end_column(self, node, end_line):
        text = self._lines[end_line - 1] if end_line <= len(self._lines) else ""
        return _column(text, node.end_col_offset or 0)

    def _nested(self, node, text, kind):
        """Code in constant text: eval("..."), or the body of %%time."""
        if self._depth >= MAX_NESTED:
            raise Overflow("code in text in code is nested more than %d deep" % MAX_NESTED)
        try:
            tree = _parse(_stock_transform(text))
        except (SyntaxError, ValueError, OverflowError):
            return  # nor will it run
        place, offset = self._place, self._line_offset
        if kind == "cell" and place is None:
            self._line_offset += node.lineno
        elif place is None:
            self._place = node
        self._depth += 1
        self.walk(tree)
        self._depth -= 1
        self._place, self._line_offset = place, offset


def _parse(text):
    """The tree; what the compiler refuses, as it refuses it."""
    flags = sources.TOP_LEVEL_AWAIT
    tree = compile(text, "cell", "exec", flags | ast.PyCF_ONLY_AST, True)
    compile(tree, "cell", "exec", flags, True)
    return tree


def _stock_transform(text):
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager().transform_cell(text)


def _describe(error):
    result = {"type": type(error).__name__, "message": str(error), "line": 0, "offset": 0,
              "end_line": 0, "end_offset": 0, "text": ""}
    if isinstance(error, SyntaxError):
        result.update(message=error.msg or "", line=error.lineno or 0, offset=error.offset or 0,
                      end_line=error.end_lineno or 0, end_offset=error.end_offset or 0,
                      text=error.text or "")
    return result


def _incomplete(report, rules, why):
    report["incomplete"] = why
    report["action"] = stronger(report["action"], rules.strongest)
    return report


def _shown(name):
    return name[len("builtins."):] if name.startswith("builtins.") else name


def _column(text, byte_offset):
    """1-based, in characters, from the tree's 0-based offset in UTF-8."""
    return len(text.encode("utf-8", "replace")[:byte_offset].decode("utf-8", "replace")) + 1
