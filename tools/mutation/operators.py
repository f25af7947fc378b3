"""Mutation operators: each kind of change is a typical mistake.

An operator yields the changes of a place. Whether it applies depends on the node only.
"""

from __future__ import annotations

import ast
import re
import typing as t
from dataclasses import dataclass

from .places import Mutant, Place, Source

COMPARISONS = {
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: (r"is\s+not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: (r"not\s+in", ("in",)),
}
MODES = {"0o600": "0o644", "0o640": "0o644", "0o700": "0o755", "0o644": "0o600", "0o755": "0o700"}
WORD = re.compile(r"\S+")
RAISE = "raise"


@dataclass(frozen=True)
class Change:
    """A range of a file in bytes, and its replacement."""

    kind: str
    start: int
    end: int
    after: str
    doubt: str = ""


Operator = t.Callable[[Source, Place], t.Iterator[Change]]


def _whole(source: Source, node: ast.AST, kind: str, after: str, doubt: str = "") -> Change:
    return Change(kind, *source.span(node), after, doubt)


def comparison(source: Source, place: Place) -> t.Iterator[Change]:
    node = place.node
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    start, end = source.span(node.left)[1], source.span(node.comparators[0])[0]
    sign, others = COMPARISONS[type(node.ops[0])]
    found = re.search(sign, source.cut(start, end))
    for other in others if found else ():
        at = start + found.start() if found else start
        yield Change("comparison", at, start + found.end() if found else end, other)


def and_or(source: Source, place: Place) -> t.Iterator[Change]:
    node = place.node
    if isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield _whole(source, node, "and/or", "(" + word.join(f"({source.segment(each)})" for each in node.values) + ")")


def negated(source: Source, place: Place) -> t.Iterator[Change]:
    node = place.node
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield _whole(source, node.test, "negated", f"(not ({source.segment(node.test)}))")


def condition_dropped(source: Source, place: Place) -> t.Iterator[Change]:
    node = place.node
    if isinstance(node, ast.comprehension):
        for each in node.ifs:
            yield _whole(source, each, "condition dropped", "True")


def call_removed(source: Source, place: Place) -> t.Iterator[Change]:
    if isinstance(place.node, ast.Expr) and isinstance(place.node.value, ast.Call):
        yield _whole(source, place.node, "call removed", "pass")


def raise_removed(source: Source, place: Place) -> t.Iterator[Change]:
    if isinstance(place.node, ast.Raise):
        yield _whole(source, place.node, "raise removed", "pass")


def handler_removed(source: Source, place: Place) -> t.Iterator[Change]:
    node = place.node
    if isinstance(node, ast.ExceptHandler) and ast.unparse(node.body[0]) != RAISE:
        yield Change("handler removed", source.span(node.body[0])[0], source.span(node.body[-1])[1], RAISE)


def returned(source: Source, place: Place) -> t.Iterator[Change]:
    node = place.node
    if isinstance(node, ast.Return) and node.value and ast.unparse(node.value) != "None":
        yield _whole(source, node.value, "return", "None")


def element_dropped(source: Source, place: Place) -> t.Iterator[Change]:
    node = place.node
    if not isinstance(node, (ast.Tuple, ast.List, ast.Set)) or len(node.elts) < 2:
        return
    if isinstance(getattr(node, "ctx", None), ast.Store) or isinstance(place.parent, ast.Subscript):
        return
    doubt = "only the order" if any(isinstance(each, ast.Lambda) for each in place.above) else ""
    spans = [source.span(each) for each in node.elts]
    for number in range(len(spans) - 1):
        yield Change("element dropped", spans[number][0], spans[number + 1][0], "", doubt)
    yield Change("element dropped", spans[-2][1], spans[-1][1], "," if len(spans) == 2 else "", doubt)


def any_all(source: Source, place: Place) -> t.Iterator[Change]:
    node = place.node
    if isinstance(node, ast.Name) and node.id in ("any", "all") and isinstance(place.parent, ast.Call):
        yield _whole(source, node, "any/all", "all" if node.id == "any" else "any")


def arithmetic(source: Source, place: Place) -> t.Iterator[Change]:
    node = place.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        start, end = source.span(node.left)[1], source.span(node.right)[0]
        sign, other = ("+", "-") if isinstance(node.op, ast.Add) else ("-", "+")
        yield Change("arithmetic", start, end, source.cut(start, end).replace(sign, other, 1))


def constant(source: Source, place: Place) -> t.Iterator[Change]:
    """Changes of numbers, file modes, booleans and words; sentences are not changed."""
    node = place.node
    if not isinstance(node, ast.Constant):
        return
    value, text = node.value, source.segment(node)
    kind = "default" if _is_default(place) else ""
    doubt = "all callers may pass it" if kind else ""
    if isinstance(value, bool):
        yield _whole(source, node, kind or "bool", str(not value), doubt)
    elif text in MODES:
        yield _whole(source, node, "mode", MODES[text])
    elif isinstance(value, int) and text.isdecimal():
        yield _whole(source, node, kind or "off by one", str(value + 1), doubt)
    elif isinstance(value, str) and kind:
        yield _whole(source, node, kind, '""' if value else '"x"', doubt)
    elif isinstance(value, str) and WORD.fullmatch(value):
        yield _whole(source, node, "string", repr(value[:-1] + ("x" if value[-1] != "x" else "y")))


def _is_default(place: Place) -> bool:
    parent = place.parent
    if isinstance(parent, ast.arguments):
        return True
    return isinstance(parent, ast.AnnAssign) and isinstance(place.above[-2], ast.ClassDef)


OPERATORS: tuple[Operator, ...] = (
    comparison,
    and_or,
    negated,
    condition_dropped,
    call_removed,
    raise_removed,
    handler_removed,
    returned,
    element_dropped,
    any_all,
    arithmetic,
    constant,
)


def mutants(source: Source) -> t.Iterator[Mutant]:
    """All mutants of a file, with invalid and unchanged ones, see ``is_valid``."""
    for place in source.places():
        for operator in OPERATORS:
            for change in operator(source, place):
                yield _mutant(source, place, change)


def _mutant(source: Source, place: Place, change: Change) -> Mutant:
    return Mutant(
        source.name,
        place.function,
        source.line_of(change.start),
        change.kind,
        change.start,
        source.cut(change.start, change.end),
        change.after,
        change.doubt,
    )


def is_valid(mutant: Mutant, text: str) -> bool:
    """Whether the mutant is valid Python that differs from the file."""
    try:
        changed = ast.parse(mutant.apply(text))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(text))
