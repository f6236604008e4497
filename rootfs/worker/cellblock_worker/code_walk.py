"""Walks Python's own syntax tree and asks of every name, attribute and call what it stands for.

Statements are followed in order; branches and loops add to what a name may be. Functions are looked
into after the module, with everything their surroundings ever bound. No call goes through C on the
way down, so that deep nesting costs heap and not stack.
"""
import ast

from cellblock_worker import code_values as values_of
from cellblock_worker.code_scopes import Overflow, Scope, container, merged
from cellblock_worker.code_values import NOTHING, Const, Items

MAX_NODES = 2_000_000  # visited

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.Match)
_NAMESPACES = ("builtins.globals()", "builtins.locals()", "builtins.vars()", "object.__globals__")
_IMPORTERS = ("importlib.import_module", "builtins.__import__")


class Walker:
    """saw(node, names, dynamic) is told of every name that is read; nested(node, text, kind) of
    constant text that is run as code."""

    def __init__(self, saw, nested):
        self._saw = saw
        self._nested = nested
        self._scope = Scope(None)
        self.module = self._scope
        self._later = []
        self._nodes = 0
        self._handlers = {
            ast.Name: self._name, ast.Attribute: self._attribute, ast.Call: self._call,
            ast.Constant: self._constant, ast.Subscript: self._subscript, ast.BinOp: self._binary,
            ast.JoinedStr: self._joined, ast.FormattedValue: self._formatted,
            ast.Lambda: self._function, ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function, ast.ClassDef: self._class,
            ast.Import: self._import, ast.ImportFrom: self._import_from, ast.Assign: self._assign,
            ast.AnnAssign: self._annotated, ast.AugAssign: self._augmented,
            ast.NamedExpr: self._walrus, ast.For: self._loop, ast.AsyncFor: self._loop,
            ast.With: self._with, ast.AsyncWith: self._with, ast.Global: self._global,
            ast.Nonlocal: self._nonlocal, ast.IfExp: self._either, ast.BoolOp: self._any_of,
            ast.List: self._container, ast.Tuple: self._container, ast.Set: self._container,
            ast.Dict: self._dict, ast.Starred: self._through, ast.Await: self._through,
            ast.ListComp: self._comprehension, ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension, ast.DictComp: self._comprehension,
            ast.ExceptHandler: self._except, ast.MatchAs: self._capture,
            ast.MatchStar: self._capture,
        }

    def run(self, tree):
        """Overflow where a bound is reached; what was seen before has been told."""
        self._block(tree.body)
        while self._later:
            node, scope = self._later.pop(0)
            self._scope = scope
            if isinstance(node, ast.Lambda):
                self._visit(node.body)
            else:
                self._block(node.body)
        self._scope = self.module

    def _visit(self, node):
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise Overflow("the code has more than %d parts" % MAX_NODES)
        handler = self._handlers.get(type(node))
        if handler is not None:
            return handler(node)
        branches = isinstance(node, _BRANCHES)
        self._scope.branches += branches
        scope = self._scope
        for child in ast.iter_child_nodes(node):
            self._visit(child)
        scope.branches -= branches
        return NOTHING

    def _block(self, body):
        for node in body:
            self._visit(node)

    # Expressions: each gives the values it may have.

    def _constant(self, node):
        return values_of.constant(node.value)

    def _name(self, node):
        if not isinstance(node.ctx, ast.Load):
            self._scope.bind(node.id, NOTHING)
            return NOTHING
        found, bound = self._scope.find(node.id)
        # A module that this code imports was told of where it is imported.
        told = []
        for value in found:
            if not (bound and isinstance(value, str) and "." not in value):
                told.append(value)
        self._saw(node, told, False)
        return found

    def _attribute(self, node):
        base = self._visit(node.value)
        found = values_of.member(base, node.attr)
        if isinstance(node.ctx, ast.Load):
            self._saw(node, found, False)
        return found

    def _through(self, node):
        return self._visit(node.value)

    def _either(self, node):
        self._visit(node.test)
        return merged(self._visit(node.body), self._visit(node.orelse))

    def _any_of(self, node):
        result = NOTHING
        for value in node.values:
            result = merged(result, self._visit(value))
        return result

    def _container(self, node):
        result = set()
        for element in node.elts:
            result |= self._visit(element)
        return container(result)

    def _dict(self, node):
        result = set()
        for key in node.keys:
            if key is not None:
                self._visit(key)
        for value in node.values:
            result |= self._visit(value)
        return container(result)

    def _binary(self, node):
        left, right = self._visit(node.left), self._visit(node.right)
        one, other = values_of.single(left), values_of.single(right)
        if isinstance(node.op, ast.Add) and one and other:
            return values_of.fold(_add, one.value, other.value)
        if isinstance(node.op, ast.Mod) and one and other and _plain_format(one.value):
            return values_of.fold(_format, one.value, other.value)
        if isinstance(node.op, ast.Div) and "pathlib.Path()" in left:
            return frozenset(("pathlib.Path()",))
        if isinstance(node.op, ast.Add):
            return merged(frozenset(v for v in left if isinstance(v, Items)),
                          frozenset(v for v in right if isinstance(v, Items)))
        return NOTHING

    def _joined(self, node):
        parts = []
        for part in node.values:
            value = values_of.single(self._visit(part))
            parts.append(None if value is None else str(value.value))
        return NOTHING if None in parts else values_of.fold("".join, parts)

    def _formatted(self, node):
        found = self._visit(node.value)
        if node.format_spec is not None:
            self._visit(node.format_spec)
            return NOTHING
        return found if node.conversion == -1 else NOTHING

    def _subscript(self, node):
        base = self._visit(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._slice(base, node.slice)
        keys = values_of.texts(self._visit(node.slice))
        if not isinstance(node.ctx, ast.Load):
            return NOTHING
        return merged(values_of.elements(base), self._looked_up(node, base, keys))

    def _looked_up(self, node, base, keys):
        """A name looked up in what holds names: globals(), os.__dict__, sys.modules."""
        result = set()
        for value in base:
            if not isinstance(value, str):
                continue
            holds = value in _NAMESPACES or value == "builtins"
            inside = value[:-9] if value.endswith(".__dict__") else None
            if not keys and (holds or inside):
                self._saw(node, [inside or "builtins"], True)
            for key in keys:
                if value == "sys.modules":
                    result.add(values_of.same(key))
                elif value == "builtins":
                    result.add("builtins." + key)
                elif holds:
                    result |= self._scope.find(key)[0]
                elif inside:
                    result.add(values_of.same(inside + "." + key))
        self._saw(node, result, False)
        return frozenset(result)

    def _slice(self, base, piece):
        bounds = []
        for part in (piece.lower, piece.upper, piece.step):
            found = None if part is None else values_of.single(self._visit(part))
            if part is not None and found is None and not isinstance(part, ast.UnaryOp):
                return NOTHING
            if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
                inner = values_of.single(self._visit(part.operand))
                if inner is None or not isinstance(inner.value, int):
                    return NOTHING
                found = Const(-inner.value)
            bounds.append(None if found is None else found.value)
        one = values_of.single(base)
        if one is not None:
            return values_of.fold(_cut, one.value, *bounds)
        return frozenset(v for v in base if isinstance(v, Items))

    def _call(self, node):
        function = self._visit(node.func)
        arguments = []
        for argument in node.args:
            found = self._visit(argument)
            if isinstance(argument, ast.Starred):
                # Any of them, in any place.
                arguments += [values_of.elements(found)] * 2
            else:
                arguments.append(found)
        for keyword in node.keywords:
            found = self._keyword(node, function, keyword)
            if keyword.arg == "name" and not arguments:
                arguments.append(found)
        if isinstance(node.func, ast.Lambda):
            self._apply(node.func, arguments)
        if isinstance(node.func, ast.Attribute):
            folded = self._method(node, arguments)
            if folded:
                return folded
        result = values_of.called(function)
        for name in function:
            if isinstance(name, str):
                known = self._known_call(node, name, arguments)
                if values_of.single(known) is not None and len(function) == 1:
                    return known
                result = merged(result, known)
        return result

    def _keyword(self, node, function, keyword):
        values = self._visit(keyword.value)
        one = values_of.single(values)
        if keyword.arg == "allow_pickle" and not (one and one.value is False):
            for name in function:
                if isinstance(name, str):
                    self._saw(node, [name + ".allow_pickle"], False)
        return values

    def _apply(self, function, arguments):
        """A lambda that is called where it stands: its body is looked into with its arguments."""
        node, scope = self._later[-1]
        if node is not function:
            return
        for name, found in zip(function.args.posonlyargs + function.args.args, arguments):
            scope.add(name.arg, found)

    def _method(self, node, arguments):
        """A method of constant text, or one that takes out of a container."""
        base = self._base_of(node.func.value)
        one = values_of.single(base)
        plain = []
        for i, argument in enumerate(arguments):
            written = self._list(node.args[i]) if i < len(node.args) else None
            plain.append(written or _plain(argument))
        if one is not None and None not in plain:
            return values_of.fold_method(one.value, node.func.attr, plain)
        if node.func.attr in ("append", "add", "insert", "setdefault", "appendleft"):
            self._put(node.func.value, arguments[-1] if arguments else NOTHING)
        if node.func.attr in ("get", "pop", "setdefault", "__getitem__", "copy", "values"):
            found = values_of.elements(base)
            keys = values_of.texts(arguments[0]) if arguments else []
            found = merged(found, self._looked_up(node, base, keys) if arguments else NOTHING)
            return container(found) if node.func.attr in ("copy", "values") else found
        return NOTHING

    def _list(self, node):
        """The constants of a short list that is written out, as "".join takes them; or None."""
        if not isinstance(node, (ast.List, ast.Tuple)) or not _short(node):
            return None
        result = []
        for element in node.elts:
            if not isinstance(element, ast.Constant):
                return None
            result.append(element.value)
        return result

    def _base_of(self, node):
        """The values of a base once more, told to nobody."""
        saw, self._saw = self._saw, _deaf
        nested, self._nested = self._nested, _deaf
        try:
            return self._visit(node) if _short(node) else NOTHING
        finally:
            self._saw, self._nested = saw, nested

    def _known_call(self, node, name, arguments):
        first = arguments[0] if arguments else NOTHING
        second = arguments[1] if len(arguments) > 1 else NOTHING
        keys = values_of.texts(first)
        if name == "builtins.getattr":
            return self._got(node, first, second, len(arguments) > 1)
        if name in ("operator.attrgetter()", "operator.methodcaller()"):
            self._saw(node, first, True)
        if name.endswith((".__getattribute__", ".__getattr__")):
            base = frozenset((name.rpartition(".")[0],))
            return self._got(node, base, first, bool(arguments))
        if name in _IMPORTERS:
            return self._imported(node, name, keys)
        if name == "builtins.vars" and first:
            return values_of.member(first, "__dict__")
        if name == "functools.partial":
            return first
        if name in ("builtins.iter", "builtins.next", "builtins.list", "builtins.tuple"):
            found = values_of.elements(first)
            return found if name == "builtins.next" else container(found)
        if name in ("builtins.eval", "builtins.exec"):
            for text in keys:
                self._nested(node, text, "code")
        if name.startswith("get_ipython()") or name.startswith("get_ipython."):
            self._magic(node, name.rpartition(".")[2], keys, arguments)
        plain = []
        for argument in arguments:
            plain.append(_plain(argument))
        return NOTHING if None in plain else values_of.fold_call(name, plain)

    def _got(self, node, base, key, given):
        """getattr: a name where the text is known, and otherwise something of the base."""
        found = NOTHING
        for text in values_of.texts(key):
            deep = base
            for part in text.split("."):
                deep = values_of.member(deep, part)
            found = merged(found, deep)
        if found:
            self._saw(node, found, False)
        elif given:
            self._saw(node, base, True)
        return found

    def _imported(self, node, name, keys):
        result = set()
        for key in keys:
            self._saw(node, [values_of.same(key)], False)
            top = key.partition(".")[0] if name == "builtins.__import__" else key
            result.add(values_of.same(top))
        return frozenset(result)

    def _magic(self, node, method, keys, arguments):
        """What IPython makes of !command, %magic and %%magic."""
        if method in ("system", "getoutput", "getoutput_system"):
            self._saw(node, ["IPython." + method], False)
        if method not in ("run_line_magic", "run_cell_magic"):
            return
        for key in keys:
            self._saw(node, ["IPython.magic." + key], False)
            if key in ("time", "timeit", "prun", "capture"):
                for text in values_of.texts(arguments[-1]):
                    self._nested(node, text, "cell" if method == "run_cell_magic" else "code")

    # Statements.

    def _import(self, node):
        for alias in node.names:
            self._saw(alias, [values_of.same(alias.name)], False)
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            self._scope.bind(alias.asname or name, frozenset((values_of.same(name),)))
        return NOTHING

    def _import_from(self, node):
        if node.level:
            for alias in node.names:
                self._scope.bind(alias.asname or alias.name, NOTHING)
            return NOTHING
        self._saw(node, [values_of.same(node.module)], False)
        for alias in node.names:
            if alias.name == "*":
                self._saw(node, [values_of.same(node.module)], True)
                self._scope.stars.append(node.module)
                continue
            found = values_of.member(frozenset((node.module,)), alias.name)
            self._saw(alias, found, False)
            self._scope.bind(alias.asname or alias.name, found)
        return NOTHING

    def _assign(self, node):
        found = self._visit(node.value)
        for target in node.targets:
            self._bind(target, found, node.value)
        return NOTHING

    def _annotated(self, node):
        self._visit(node.annotation)
        if node.value is not None:
            self._bind(node.target, self._visit(node.value), node.value)
        return NOTHING

    def _augmented(self, node):
        right = values_of.single(self._visit(node.value))
        if isinstance(node.target, ast.Name):
            left = values_of.single(self._scope.find(node.target.id)[0])
            folded = NOTHING
            if isinstance(node.op, ast.Add) and left and right:
                folded = values_of.fold(_add, left.value, right.value)
            self._scope.bind(node.target.id, folded)
        else:
            self._visit(node.target)
        return NOTHING

    def _walrus(self, node):
        found = self._visit(node.value)
        self._scope.bind(node.target.id, found)
        return found

    def _bind(self, target, found, value=None):
        if isinstance(target, ast.Name):
            self._scope.bind(target.id, found)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, found)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                inner = values_of.elements(found)
                self._bind(part, container(inner) if isinstance(part, ast.Starred) else inner)
        else:
            self._visit(target)
            if isinstance(target, ast.Subscript):
                self._put(target.value, found)

    def _put(self, node, found):
        """Something goes into a container that has a name."""
        if isinstance(node, ast.Name) and found:
            self._scope.add(node.id, container(found))

    def _loop(self, node):
        found = values_of.elements(self._visit(node.iter))
        self._scope.branches += 1
        self._bind(node.target, found)
        self._block(node.body)
        self._block(node.orelse)
        self._scope.branches -= 1
        return NOTHING

    def _with(self, node):
        for item in node.items:
            found = self._visit(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, found)
        self._block(node.body)
        return NOTHING

    def _except(self, node):
        if node.type is not None:
            self._visit(node.type)
        if node.name:
            self._scope.bind(node.name, NOTHING)
        self._block(node.body)
        return NOTHING

    def _capture(self, node):
        if node.name:
            self._scope.bind(node.name, NOTHING)
        if getattr(node, "pattern", None) is not None:
            self._visit(node.pattern)
        return NOTHING

    def _global(self, node):
        for name in node.names:
            self._scope.outer[name] = self.module
        return NOTHING

    def _nonlocal(self, node):
        for name in node.names:
            self._scope.outer[name] = self._scope.parent
        return NOTHING

    def _function(self, node):
        for decorator in getattr(node, "decorator_list", ()):
            self._visit(decorator)
        inner = Scope(self._scope)
        given = node.args
        names = given.posonlyargs + given.args
        defaults = [None] * (len(names) - len(given.defaults)) + given.defaults
        pairs = list(zip(names + given.kwonlyargs, defaults + given.kw_defaults))
        pairs += [(extra, None) for extra in (given.vararg, given.kwarg) if extra]
        for name, default in pairs:
            if name.annotation is not None:
                self._visit(name.annotation)
            inner.bind(name.arg, NOTHING if default is None else self._visit(default))
        if getattr(node, "returns", None) is not None:
            self._visit(node.returns)
        if isinstance(node, _FUNCTIONS):
            self._scope.bind(node.name, NOTHING)
        self._later.append((node, inner))
        return NOTHING

    def _class(self, node):
        for part in node.decorator_list + node.bases + node.keywords:
            self._visit(part)
        outer = self._scope
        self._scope = Scope(outer, is_class=True)
        self._block(node.body)
        self._scope = outer
        outer.bind(node.name, NOTHING)
        return NOTHING

    def _comprehension(self, node):
        outer = self._scope
        inner = Scope(outer)
        # It runs here and now: it sees what its surroundings are now.
        inner.now = dict(outer.now) if len(outer.now) < 1000 else {}
        self._scope = inner
        for clause in node.generators:
            self._bind(clause.target, values_of.elements(self._visit(clause.iter)))
            self._block(clause.ifs)
        if isinstance(node, ast.DictComp):
            self._visit(node.key)
            found = self._visit(node.value)
        else:
            found = self._visit(node.elt)
        self._scope = outer
        return container(found)


def _deaf(*_):
    pass


def _short(node):
    """Whether looking at a node twice costs little: long chains would cost the square."""
    for _ in range(4):
        if isinstance(node, (ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Dict)):
            return len(getattr(node, "elts", getattr(node, "keys", ()))) < 64
        if isinstance(node, ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call) and len(node.args) <= 1:
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.BinOp):
            node = node.left
        else:
            return False
    return False


def _plain(values):
    """A constant as Python has it; None if it is none."""
    one = values_of.single(values)
    return None if one is None else one.value


def _add(left, right):
    return left + right if type(left) is type(right) and isinstance(left, (str, bytes)) else None


def _plain_format(text):
    return isinstance(text, str) and text.count("%") == text.count("%s")


def _format(text, value):
    return text % value


def _cut(text, start, stop, step):
    return text[start:stop:step] if isinstance(text, (str, bytes)) else None
