"""Paths of unit tests: a test of plugins/A/b.py is tests/unit/A/test_b.py, or any test in the folder tests/unit/A/b."""

from __future__ import annotations

from .house import House

UNIT = "tests/unit/"
EXCLUDED = frozenset({"docs", "edges", "extensions", "house", "lab", "roles", "strangers"})
"""Folders of tests/unit that test no file of plugins, but documents, playbooks, extensions, roles, the code, or the lab."""
NOT_TESTED_HERE = ("plugins/modules/", "plugins/doc_fragments/")
"""Folders of plugins that need no unit tests; modules are tested by tests/modules."""


def _tests(house: House) -> list[str]:
    names = [house.name(path) for path in house.files("tests/unit/**/test_*.py")]
    return [name for name in names if name.split("/")[2] not in EXCLUDED]


def tested(house: House, test: str) -> str | None:
    """The file of plugins that belongs to the path of a test."""
    folder, _slash, name = test.removeprefix(UNIT).rpartition("/")
    places = (f"plugins/{folder}/{name.removeprefix('test_')}", f"plugins/{folder}.py")
    return next((place for place in places if place in house.code), None)


def misplaced_tests(house: House) -> list[str]:
    """Test files below tests/unit whose path belongs to no file of plugins, without the folders in EXCLUDED."""
    return [test for test in _tests(house) if not tested(house, test)]


def untested_files(house: House) -> list[str]:
    """Files of plugins without a test file at the mirrored path, without modules, fragments and empty files."""
    covered = {tested(house, test) for test in _tests(house)}
    files = [file for file, parsed in house.code.items() if len(parsed.body) > 1 and not file.startswith(NOT_TESTED_HERE)]
    return [file for file in files if file not in covered]
