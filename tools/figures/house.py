"""A collection that is read once for all figures."""

from __future__ import annotations

import ast
import functools
import typing as t
from dataclasses import dataclass
from pathlib import Path

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Found:
    """A value of a YAML file, or a key that is a template."""

    file: str
    line: int
    keys: tuple[str, ...]
    """Keys of the mappings that contain it, without indices of lists."""
    node: yaml.Node
    in_list: bool

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def text(self) -> str | None:
        """Text of a scalar that Ansible would evaluate as a template."""
        if isinstance(self.node, yaml.ScalarNode) and self.node.tag != "!unsafe":
            return str(self.node.value)
        return None

    @property
    def names(self) -> list[str]:
        """Keys of the value if it is a mapping."""
        return [key.value for key, _value in self.node.value] if isinstance(self.node, yaml.MappingNode) else []

    def value_of(self, key: str) -> str | None:
        """Scalar of this key if the value is a mapping."""
        if isinstance(self.node, yaml.MappingNode):
            for name, value in self.node.value:
                if name.value == key and isinstance(value, yaml.ScalarNode):
                    return str(value.value)
        return None


@dataclass(frozen=True)
class Function:
    """A function or method at any level."""

    file: str
    node: ast.FunctionDef | ast.AsyncFunctionDef

    @property
    def lines(self) -> int:
        """From ``def`` to the last line; decorators are not counted."""
        return (self.node.end_lineno or self.node.lineno) - self.node.lineno + 1

    @property
    def place(self) -> str:
        return f"{self.file}:{self.node.lineno} {self.node.name}"

    @property
    def own(self) -> t.Iterator[ast.AST]:
        """Nodes of the function, without those of inner functions."""
        waiting: list[ast.AST] = list(ast.iter_child_nodes(self.node))
        while waiting:
            node = waiting.pop()
            yield node
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                waiting += ast.iter_child_nodes(node)


@dataclass(frozen=True, eq=False)
class House:
    """The files below a folder, which are read once at their first use."""

    root: Path

    def files(self, *patterns: str) -> list[Path]:
        """Files below the root, without hidden files and output of tests."""
        found = {path for pattern in patterns for path in self.root.glob(pattern) if path.is_file()}
        return sorted(path for path in found if not _is_foreign(path.relative_to(self.root)))

    def name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    @functools.cached_property
    def yaml(self) -> tuple[Found, ...]:
        """All values of the YAML files of roles and playbooks. A value with aliases counts once, at its anchor."""
        paths = self.files("roles/**/*.yml", "playbooks/**/*.yml")
        return tuple(found for path in paths for found in self._values(path))

    def _values(self, path: Path) -> t.Iterator[Found]:
        seen: set[int] = set()
        for document in yaml.compose_all(path.read_text(), Loader=LOADER):
            yield from _walk(self.name(path), document, seen)

    @functools.cached_property
    def code(self) -> dict[str, ast.Module]:
        """The Python files of plugins, parsed."""
        return {self.name(path): ast.parse(path.read_text()) for path in self.files("plugins/**/*.py")}

    @functools.cached_property
    def functions(self) -> tuple[Function, ...]:
        return tuple(
            Function(file, node)
            for file, tree in self.code.items()
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        )


def _is_foreign(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts) or path.parts[:2] == ("tests", "output")


def _walk(file: str, node: yaml.Node, seen: set[int], keys: tuple[str, ...] = (), in_list: bool = False) -> t.Iterator[Found]:
    if id(node) in seen:
        return
    seen.add(id(node))
    yield Found(file, node.start_mark.line + 1, keys, node, in_list)
    if isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from _walk(file, each, seen, keys, True)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if "{{" in key.value:
                yield Found(file, key.start_mark.line + 1, keys, key, False)
            yield from _walk(file, value, seen, (*keys, key.value))
