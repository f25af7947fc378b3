"""Which part of the campaign a commit runs: chosen by its hash, so that commits together run all of it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import typing as t
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def head() -> str:
    """The commit that is checked out."""
    argv = ["git", "-C", str(FOLDER), "rev-parse", "HEAD"]
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def seed_of(commit: str) -> int:
    """Where the seeds of a commit begin: each brings rounds of its own."""
    return int(hashlib.sha256(commit.encode()).hexdigest()[:6], 16)


def slice_of_head() -> tuple[str, ...]:
    """Arguments of a pytest that runs what the commit chooses."""
    return (str(FOLDER), f"--slice={head()}")


def chosen(commit: str, tests: t.Mapping[str, t.Sequence[str]]) -> str:
    """One test, of files and the ids of their tests: first a file, so that one with many tests does not take all turns."""
    files = sorted(name for name, ids in tests.items() if ids)
    ids = tests[files[seed_of(commit) % len(files)]]
    return ids[seed_of(commit + "test") % len(ids)]


def quarter(commit: str, names: t.Iterable[str]) -> list[str]:
    """A quarter of these names, drawn for the commit: each name is in the quarters of a quarter of all commits."""
    return _drawn(commit, names, 4)


def eighth(commit: str, names: t.Iterable[str]) -> list[str]:
    return _drawn(commit, names, 8)


def _drawn(commit: str, names: t.Iterable[str], parts: int) -> list[str]:
    return [name for name in names if seed_of(commit + name) % parts == 0]


if __name__ == "__main__":
    print(*eighth(head(), sys.argv[1:]))
