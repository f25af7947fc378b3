"""The part of the campaign that a commit runs, chosen by its hash so that successive commits cover all of it."""

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
    """Hash of the commit that is checked out."""
    argv = ["git", "-C", str(FOLDER), "rev-parse", "HEAD"]
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def seed_of(commit: str) -> int:
    """First seed of a commit, so that commits run different rounds."""
    return int(hashlib.sha256(commit.encode()).hexdigest()[:6], 16)


def slice_of_head() -> tuple[str, ...]:
    """Arguments for pytest to run the test that the commit chooses."""
    return (str(FOLDER), f"--slice={head()}")


def chosen(commit: str, tests: t.Mapping[str, t.Sequence[str]]) -> str:
    """Id of one test, from a mapping of files to test ids. A file is chosen first, so that a file with many tests is not preferred."""
    files = sorted(name for name, ids in tests.items() if ids)
    ids = tests[files[seed_of(commit) % len(files)]]
    return ids[seed_of(commit + "test") % len(ids)]


def in_turn(commit: str, names: t.Iterable[str], place: int = 0) -> list[str]:
    """Every 24th of these names, so that commits run about equal parts; ``TURNS`` commits with different offsets run all.

    :param place: index of the first of these names among all names from which the commit draws.
    """
    return _every(TURNS, commit, names, place)


def eighth(commit: str, names: t.Iterable[str]) -> list[str]:
    return _every(8, commit, names, 0)


def _every(step: int, commit: str, names: t.Iterable[str], place: int) -> list[str]:
    begin = (seed_of(commit) - place) % step
    return sorted(names)[begin::step]


def dealt(cards: t.Sequence[T], seed: int) -> t.Iterator[T]:
    """Endless decks, each with all cards in a random order that depends on the seed."""
    chance = random.Random(seed)
    while True:
        yield from chance.sample(cards, len(cards))


if __name__ == "__main__":
    print(*eighth(head(), sys.argv[1:]))
