"""The source of every cell: names for tracebacks, lines for linecache, what is to be run.

A cell's code objects carry its display name ("cell 3", or the name that came with it) as file
name, and linecache holds its lines, so tracebacks and inspect.getsource show the user's own text.
"""
import ast
import io
import linecache
import re
import tokenize

from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_compile = compile

# IPython syntax needs one of these somewhere; a cell without them is already plain Python.
_SPECIAL = re.compile(r"[%!?]|^\s*[,;/]|>>>|\.\.\.|\bIn ?\[", re.MULTILINE)
_INDENTED = re.compile(r"\s")
_FIRST_NAME = re.compile(r"[^\W\d]\w*")

TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)


class Sources:
    def __init__(self):
        self._by_file = {}

    def register(self, name, raw, transformed):
        """The file name to compile the cell under; the name, unless another cell has it."""
        file, number = name, 1
        while self._by_file.get(file, raw) != raw:
            number += 1
            file = "%s (%d)" % (name, number)
        self._by_file[file] = raw
        # The user's text is shown as long as line numbers agree with what is compiled.
        shown = raw if raw.count("\n") == transformed.rstrip("\n").count("\n") else transformed
        lines = [line + "\n" for line in shown.split("\n")]
        # Without a time stamp linecache.checkcache leaves the entry alone.
        linecache.cache[file] = (len(shown), None, lines, file)
        return file

    def is_cell(self, file):
        return file in self._by_file

    def text(self, file):
        return self._by_file.get(file, "")


def normalize(code):
    """Text of a cell from the bytes that came; SyntaxError where they are not UTF-8."""
    try:
        text = code.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SyntaxError("the cell is not UTF-8: %s" % error) from None
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def transform(shell, text):
    """Plain Python from a cell: magics, shell escapes and help become calls."""
    if _is_plain(shell, text):
        return text if text.endswith("\n") else text + "\n"
    return shell.transform_cell(text)


def _is_plain(shell, text):
    if _SPECIAL.search(text) or _INDENTED.match(text):
        return False
    if shell.input_transformers_post or not shell.has_stock_transformers():
        return False
    if "\n" in text.strip():
        return True
    # On a line of its own, a name may be a magic without its %, an alias or a macro.
    first = _FIRST_NAME.match(text)
    return first is None or not shell.is_special_name(first.group())


def ends_quietly(text):
    """True if the cell ends with a semicolon, comments aside: its value is not shown."""
    if ";" not in text:
        return False
    last = text.rstrip()
    if last.endswith(";") and "#" not in last.rpartition("\n")[2]:
        return True
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return False
    skipped = (tokenize.ENDMARKER, tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    for token in reversed(tokens):
        if token.type not in skipped:
            return token.type == tokenize.OP and token.string == ";"
    return False


def compile_cell(shell, text, file):
    """The code objects of a cell in order: what only runs, and expressions whose value is shown."""
    compiler = shell.compile
    # Not all of the compiler's flags: those for half-typed input make worse error messages.
    flags = compiler.flags & _FUTURE_FLAGS
    tree = _compile(text, file, "exec", flags | ast.PyCF_ONLY_AST, True)
    if shell.ast_transformers:
        tree = shell.transform_ast(tree)
    flags |= TOP_LEVEL_AWAIT
    codes = []
    for shown, group in _group(tree.body, shell.ast_node_interactivity):
        if shown:
            codes.append(_compile(ast.Interactive(group), file, "single", flags, True))
        else:
            module = ast.Module(group, tree.type_ignores)
            code = _compile(module, file, "exec", flags, True)
            codes.append(code)
    for code in codes:
        # from __future__ in one cell holds in the later ones.
        compiler.flags |= code.co_flags & _FUTURE_FLAGS
    return codes


def _group(body, interactivity):
    """Splits statements into runs of (is its value shown, statements)."""
    if not body:
        return []
    if interactivity == "all":
        return [(True, [node]) for node in body]
    last = body[-1]
    if interactivity == "last_expr_or_assign" and isinstance(last, _ASSIGNMENTS):
        target = last.targets[0] if isinstance(last, ast.Assign) else last.target
        if isinstance(target, ast.Name):
            load = ast.Expr(ast.Name(target.id, ast.Load()))
            body = body + [ast.fix_missing_locations(ast.copy_location(load, last))]
            last = body[-1]
    shown = interactivity == "last" or (interactivity != "none" and isinstance(last, ast.Expr))
    if not shown:
        return [(False, body)]
    return [(False, body[:-1]), (True, body[-1:])] if len(body) > 1 else [(True, body)]


def _future_flags():
    import __future__

    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


_FUTURE_FLAGS = _future_flags()
