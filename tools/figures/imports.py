"""Imports inside plugins/, and the number of files that a new engineer must open."""

from __future__ import annotations

import ast
import functools
import statistics
import typing as t

from .house import House

COLLECTION = "ansible_collections.mlfleet.hyperpod."
MODULE = "plugins/modules/"
GROUND = ("_core/", "_aws/", "_ssh/", "_lock/")
"""Folders of module_utils that every engineer of the collection knows: the basis of all others."""


class Import(t.NamedTuple):
    """One import of one name."""

    file: str
    line: int
    module: str
    """A file such as ``plugins/…`` for modules of the collection, the dotted name for others."""
    ours: bool


def _origin(node: ast.ImportFrom, file: str) -> str:
    """The absolute dotted name after ``from``."""
    if not node.level:
        return node.module or ""
    above = file.split("/")[: -node.level]
    return COLLECTION + ".".join([*above, *filter(None, [node.module])])


def dotted_names(tree: ast.Module, file: str) -> t.Iterator[tuple[int, str]]:
    """Imported names with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{_origin(node, file)}.{each.name}") for each in node.names)


def file_of(house: House, dotted: str) -> str:
    """The collection's file for the dotted name of a module, or of a name in it."""
    parts = dotted.removeprefix(COLLECTION).split(".")
    for length in (len(parts), len(parts) - 1):
        path = "/".join(parts[:length])
        for candidate in (f"{path}.py", f"{path}/__init__.py"):
            if candidate in house.code:
                return candidate
    raise LookupError(f"{dotted} is in no file of plugins")


def imports(house: House) -> t.Iterator[Import]:
    """All imports of plugins/, with those in functions and under TYPE_CHECKING."""
    for file, tree in house.code.items():
        for line, dotted in dotted_names(tree, file):
            ours = dotted.startswith(COLLECTION)
            yield Import(file, line, file_of(house, dotted) if ours else dotted, ours)


@functools.lru_cache(maxsize=4)
def graph(house: House) -> dict[str, frozenset[str]]:
    """The collection's files that each file imports."""
    found: dict[str, set[str]] = {file: set() for file in house.code}
    for each in imports(house):
        if each.ours and each.module != each.file:
            found[each.file].add(each.module)
    return {file: frozenset(modules) for file, modules in found.items()}


def closure(house: House, file: str) -> set[str]:
    """The collection's files that a file imports directly or indirectly, without itself."""
    found: set[str] = set()
    waiting = [file]
    while waiting:
        more = graph(house)[waiting.pop()] - found
        found |= more
        waiting += more
    return found - {file}


def _is_ground(file: str) -> bool:
    return file.removeprefix("plugins/module_utils/").startswith(GROUND)


def _modules(house: House) -> list[str]:
    return [file for file in house.code if file.startswith(MODULE)]


def _opened(house: House, *, ground: bool) -> dict[str, int]:
    """Number of files by module, most files first."""
    files = {file: [each for each in closure(house, file) if ground or not _is_ground(each)] for file in _modules(house)}
    counted = {file.removeprefix(MODULE).removesuffix(".py"): len(each) for file, each in files.items()}
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def opened_worst(house: House) -> int:
    """The maximum number of the collection's files that a module imports directly or indirectly, without itself and GROUND."""
    return max(_opened(house, ground=False).values())


def opened_median(house: House) -> float:
    """The median of the files that ``opened_worst`` counts, for all modules."""
    return statistics.median(_opened(house, ground=False).values())


def opened_with_ground_worst(house: House) -> int:
    """As ``opened_worst``, with the files of GROUND."""
    return max(_opened(house, ground=True).values())


def opened_with_ground_median(house: House) -> float:
    """As ``opened_median``, with the files of GROUND."""
    return statistics.median(_opened(house, ground=True).values())


def opened_most(house: House) -> dict[str, int]:
    """The five modules with the most files to open, without GROUND."""
    return dict(list(_opened(house, ground=False).items())[:5])
