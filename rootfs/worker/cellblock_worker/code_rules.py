"""Static code rules: which resolved names a policy speaks of, and what it says.

Advice and an early, explainable refusal. The boundary is the kernel's: what is not found here is
contained all the same.
"""
import builtins
import re

ACTIONS = ("ALLOW", "WARN", "CONFIRM", "REFUSE")  # weakest first
MAX_PATTERN = 200  # characters
MAX_PATTERNS = 4096  # of all rules together

_PART = r"(?:\*|[A-Za-z_]\w*\*?)"
_PATTERN = re.compile(_PART + r"(?:\." + _PART + r")*\Z")


class BadRules(ValueError):
    """A rule is malformed; the text names its number and field."""


class Rule:
    def __init__(self, patterns, action, reason, remedy):
        self.patterns = patterns
        self.action = action
        self.reason = reason
        self.remedy = remedy


class Rules:
    """The rules of one policy. The strongest action of all that match decides, ALLOW among them
    being the exception: a pattern without a star that says ALLOW outweighs patterns with one."""

    def __init__(self, described):
        """From a list of {patterns, action, reason, remedy}; BadRules if it is not one."""
        if not isinstance(described, list):
            raise BadRules("rules: must be a list")
        self._exact = {}
        self._stars = []
        self.strongest = "ALLOW"
        count = 0
        for number, fields in enumerate(described):
            rule = _parse(number, fields)
            count += len(rule.patterns)
            if count > MAX_PATTERNS:
                raise BadRules("rules: more than %d patterns" % MAX_PATTERNS)
            self.strongest = stronger(self.strongest, rule.action)
            for pattern in rule.patterns:
                self._add(pattern, rule)

    def _add(self, pattern, rule):
        if "*" not in pattern:
            name = "builtins." + pattern if hasattr(builtins, pattern) else pattern
            self._exact.setdefault(name, []).append((pattern, rule))
            return
        expression = re.compile(re.escape(pattern).replace(r"\*", ".*") + r"\Z")
        self._stars.append((expression, pattern, rule))

    def match(self, name):
        """(pattern, rule) that decides about a dotted name, or None."""
        best = None
        for found in self._exact.get(name, ()):
            best = _better(best, found)
        if best is not None and best[1].action == "ALLOW":
            return None
        for expression, pattern, rule in self._stars:
            if expression.match(name):
                best = _better(best, (pattern, rule))
        return None if best is None or best[1].action == "ALLOW" else best

    def below(self, module):
        """(pattern, rule), the strongest that could match some member of a module, or None."""
        best = self.match(module + ".?")
        for name, found in self._exact.items():
            if name.startswith(module + "."):
                for entry in found:
                    best = _better(best, entry)
        for _, pattern, rule in self._stars:
            if pattern.startswith(module + "."):
                best = _better(best, (pattern, rule))
        return None if best is None or best[1].action == "ALLOW" else best


def stronger(one, other):
    return one if ACTIONS.index(one) >= ACTIONS.index(other) else other


def _better(best, found):
    if best is None or ACTIONS.index(found[1].action) > ACTIONS.index(best[1].action):
        return found
    return best


def _parse(number, fields):
    where = "rules[%d]" % number
    if not isinstance(fields, dict):
        raise BadRules("%s: must be an object" % where)
    unknown = sorted(set(fields) - {"patterns", "action", "reason", "remedy"})
    if unknown:
        raise BadRules("%s: no such field: %s" % (where, unknown[0]))
    action = fields.get("action")
    if action not in ACTIONS:
        raise BadRules("%s.action: must be one of %s" % (where, ", ".join(ACTIONS)))
    reason = fields.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise BadRules("%s.reason: is empty; say why, for the one who reviews it" % where)
    remedy = fields.get("remedy", "")
    if not isinstance(remedy, str):
        raise BadRules("%s.remedy: must be text" % where)
    patterns = fields.get("patterns")
    if not isinstance(patterns, list) or not patterns:
        raise BadRules("%s.patterns: is empty; name at least one, such as \"os.system\"" % where)
    for i, pattern in enumerate(patterns):
        if (not isinstance(pattern, str) or len(pattern) > MAX_PATTERN
                or not _PATTERN.match(pattern)):
            raise BadRules("%s.patterns[%d]: must be a dotted name whose parts are names or *, "
                           "such as \"os.system\" or \"subprocess.*\"" % (where, i))
    return Rule(patterns, action, reason, remedy)
