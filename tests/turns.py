"""Slow tests take turns: a commit runs a 24th of the tests marked slow. A marked function, class or file is drawn as one."""

from __future__ import annotations

import collections
import functools
from pathlib import Path

import pytest
from campaign.choice import in_turn

TESTS = Path(__file__).resolve().parent
MARK = "pytest.mark.slow"
OPTION = "--slow-of"
SLOW = "takes ten seconds or more (a minute on the lab), and no other test depends on it; a commit runs some of them, the campaign all"


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, metavar="COMMIT", help="of the tests marked slow, run the part that this commit draws")


def leave_out_others(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove from ``items`` the tests that other commits draw."""
    commit = config.getoption(OPTION)
    if not commit:
        return
    drawn = {item: _drawn_as(item) for item in items}
    names: dict[str, set[str]] = collections.defaultdict(set)
    for item, name in drawn.items():
        names[item.path.name].update([name] if name else ())
    taken = {name for file, own in names.items() for name in in_turn(commit, own, _place(file))}
    config.hook.pytest_deselected(items=[item for item, name in drawn.items() if name and name not in taken])
    items[:] = [item for item, name in drawn.items() if not name or name in taken]


def takes(commit: str, file: Path) -> bool:
    """Whether a commit may run tests of a file: false only if the whole file is marked and another commit draws it."""
    return f"pytestmark = {MARK}" not in file.read_text("utf-8") or bool(in_turn(commit, [file.name], _place(file.name)))


def _place(file: str) -> int:
    """Index of a file among all files with slow tests, so that files with one slow test each are drawn in turn, even in separate pytest runs."""
    return sum(other < file for other in _files())


@functools.cache
def _files() -> frozenset[str]:
    return frozenset(file.name for file in TESTS.rglob("test_*.py") if MARK in file.read_text("utf-8"))


def _drawn_as(item: pytest.Item) -> str:
    """The id of the marked node: the outermost of file, class and item. Empty without a mark."""
    return next((node.nodeid for node in item.listchain() if any(mark.name == "slow" for mark in node.own_markers)), "")
