"""A Python file of plugins/, and the places for changes in it."""

from __future__ import annotations

import ast
import functools
import typing as t
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = frozenset({"DOCUMENTATION", "EXAMPLES", "RETURN", "__all__"})
"""Names whose values are for tools, not for the program."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    file: str
    function: str
    """Dotted names of the enclosing classes and functions; empty at module level."""
    line: int
    kind: str
    start: int
    """Start of the replaced text in bytes of the file."""
    before: str
    after: str
    doubt: str = ""
    """Reason why the change may be equivalent; empty if it should not be."""

    def apply(self, text: str) -> str:
        data = text.encode()
        end = self.start + len(self.before.encode())
        return (data[: self.start] + self.after.encode() + data[end:]).decode()


@dataclass(frozen=True)
class Place:
    """A node of the syntax tree with its enclosing nodes, outermost first."""

    node: ast.AST
    above: tuple[ast.AST, ...]

    @property
    def parent(self) -> ast.AST:
        return self.above[-1]

    @property
    def function(self) -> str:
        return ".".join(each.name for each in self.above if isinstance(each, (*FUNCTIONS, ast.ClassDef)))


@dataclass(frozen=True)
class Source:
    """A file, parsed once."""

    name: str
    text: str

    @classmethod
    def read(cls, root: Path, name: str) -> Source:
        return cls(name, (root / name).read_text())

    @functools.cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @functools.cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for line in self.text.encode().split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends, in bytes."""
        positions = t.cast("ast.expr", node)
        ends = (positions.end_lineno or positions.lineno, positions.end_col_offset or positions.col_offset)
        return self._line_starts[positions.lineno - 1] + positions.col_offset, self._line_starts[ends[0] - 1] + ends[1]

    def cut(self, start: int, end: int) -> str:
        return self.text.encode()[start:end].decode()

    def segment(self, node: ast.AST) -> str:
        return self.cut(*self.span(node))

    def line_of(self, start: int) -> int:
        return self.text.encode()[:start].count(b"\n") + 1

    def places(self) -> t.Iterator[Place]:
        """All nodes that are code which does something: no documentation, no types, nothing inside an f-string."""
        yield from _below(self.tree, ())


def _below(node: ast.AST, above: tuple[ast.AST, ...]) -> t.Iterator[Place]:
    for child in ast.iter_child_nodes(node):
        if not _is_left_out(child, node):
            yield Place(child, (*above, node))
            yield from _below(child, (*above, node))


def _is_left_out(node: ast.AST, parent: ast.AST) -> bool:
    return (
        isinstance(node, (ast.Import, ast.ImportFrom, ast.JoinedStr))
        or _is_text_alone(node)
        or _is_documentation(node)
        or _is_for_checkers(node)
        or _is_type(node, parent)
    )


def _is_text_alone(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_documentation(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id in DOCUMENTS for each in node.targets)


def _is_for_checkers(node: ast.AST) -> bool:
    """Whether it is a block for type checkers or for direct execution."""
    return isinstance(node, ast.If) and any(name in ast.unparse(node.test) for name in ("TYPE_CHECKING", "__main__"))


def _is_type(node: ast.AST, parent: ast.AST) -> bool:
    if isinstance(parent, (*FUNCTIONS, ast.arg, ast.AnnAssign)):
        return node in (getattr(parent, "returns", None), getattr(parent, "annotation", None))
    if isinstance(parent, ast.ClassDef):  # frozen=True prevents code that tests do not contain
        return node in parent.decorator_list
    if isinstance(parent, ast.Call):
        return ast.unparse(parent.func) in ("t.cast", "t.TypeVar") and node is parent.args[0]
    return isinstance(parent, ast.Assign) and _is_alias(parent.value)


def _is_alias(value: ast.AST) -> bool:
    """Whether the value is a type, as in ``Names = dict[str, str]``."""
    return isinstance(value, ast.Subscript) and isinstance(value.value, ast.Attribute | ast.Name) and (
        ast.unparse(value.value).startswith("t.") or ast.unparse(value.value) in ("dict", "list", "set", "tuple", "frozenset")
    )
