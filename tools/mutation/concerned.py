"""Unit tests that concern a file of plugins/: those that reach it by imports or names, nearest first."""

from __future__ import annotations

import ast
import functools
import re
import typing as t
from dataclasses import dataclass
from pathlib import Path

from tools.figures import imports, tree
from tools.figures.house import House

MIRRORED, UNKNOWN = 0, 99
SLOW = frozenset({"edges", "strangers"})
"""Folders of tests/unit that run whole playbooks, each for half a minute."""
NAMED = ("plugins/modules/", "plugins/action/", "plugins/filter/", "plugins/callback/", "plugins/inventory/")
"""Folders whose files tests call by name."""
MANY = re.compile(r"plugins/\S*\*\S*")
"""A glob pattern in a test."""
HELPERS = "tests/"


@dataclass(frozen=True, eq=False)
class Concerned:
    """The tests of a checkout."""

    house: House

    @functools.cached_property
    def _tests(self) -> list[str]:
        names = [self.house.name(path) for path in self.house.files("tests/unit/**/test_*.py", "tests/modules/**/test_*.py")]
        return [name for name in names if name.split("/")[2] not in SLOW]

    @functools.cached_property
    def _by_name(self) -> dict[str, str]:
        return {Path(file).stem: file for file in self.house.code if file.startswith(NAMED)}

    def tests(self, file: str) -> list[str]:
        """Tests that may fail after a change of the file."""
        far = {test: self._distance(test, file) for test in self._tests}
        return sorted((test for test in far if far[test] < UNKNOWN), key=lambda test: (far[test], test))

    def _distance(self, test: str, file: str) -> int:
        if tree.tested(self.house, test) == file:
            return MIRRORED
        return self._distances(test).get(file, UNKNOWN)

    @functools.lru_cache(maxsize=4096)  # noqa: B019 - lives as long as the run
    def _distances(self, test: str) -> dict[str, int]:
        """Files of plugins/ that a test reaches, with the number of imports on the way."""
        distances = dict.fromkeys(self._touched(test), 1)
        edge = list(distances)
        while edge:
            each = edge.pop(0)
            for other in sorted(imports.graph(self.house)[each] - distances.keys()):
                distances[other] = distances[each] + 1
                edge.append(other)
        return distances

    @functools.lru_cache(maxsize=4096)  # noqa: B019 - lives as long as the run
    def _touched(self, test: str) -> frozenset[str]:
        """Files that the test, its helpers and its conftest files import or name."""
        waiting = [test, *self._above(test)]
        seen: set[str] = set()
        touched: set[str] = set()
        while waiting:
            each = waiting.pop()
            if each not in seen:
                seen.add(each)
                parsed = ast.parse((self.house.root / each).read_text())
                touched |= set(self._plugins(parsed, named=each == test))
                waiting += self._helpers(parsed)
        return frozenset(touched)

    def _above(self, test: str) -> list[str]:
        folders = [Path(test).parents[number] for number in range(len(Path(test).parts) - 2)]
        return [str(folder / "conftest.py") for folder in folders if (self.house.root / folder / "conftest.py").exists()]

    def _plugins(self, parsed: ast.Module, *, named: bool) -> t.Iterator[str]:
        for _line, dotted in imports.dotted_names(parsed, ""):
            if dotted.startswith(imports.COLLECTION + "plugins."):
                yield imports.file_of(self.house, dotted)
        for node in ast.walk(parsed) if named else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                file = self._by_name.get(node.value.removeprefix("mlfleet.hyperpod."))
                if file:
                    yield file
                if MANY.fullmatch(node.value):
                    yield from (self.house.name(path) for path in self.house.files(node.value) if path.suffix == ".py")

    def _helpers(self, parsed: ast.Module) -> t.Iterator[str]:
        for _line, dotted in imports.dotted_names(parsed, ""):
            parts = dotted.split(".")
            for length in range(1, len(parts) + 1):
                path = HELPERS + "/".join(parts[:length])
                yield from (each for each in (f"{path}.py", f"{path}/__init__.py") if (self.house.root / each).exists())
