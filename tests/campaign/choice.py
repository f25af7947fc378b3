"""Which part of the campaign a commit runs: chosen by its hash, so that commits together run all of it."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import typing as t
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TURNS = 24
T = t.TypeVar("T")


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


def in_turn(commit: str, names: t.Iterable[str], place: int = 0) -> list[str]:
    """Every 24th of these names, so that no commit has much more to run than another: ``TURNS`` commits that begin apart run all.

    :param place: where these names begin among others that the commit draws from.
    """
    return _every(TURNS, commit, names, place)


def eighth(commit: str, names: t.Iterable[str]) -> list[str]:
    return _every(8, commit, names, 0)


def _every(step: int, commit: str, names: t.Iterable[str], place: int) -> list[str]:
    begin = (seed_of(commit) - place) % step
    return sorted(names)[begin::step]


def dealt(cards: t.Sequence[T], seed: int) -> t.Iterator[T]:
    """One deck after another, without end: each has all cards, in an order of its own that follows from the seed."""
    chance = random.Random(seed)
    while True:
        yield from chance.sample(cards, len(cards))


if __name__ == "__main__":
    print(*eighth(head(), sys.argv[1:]))
