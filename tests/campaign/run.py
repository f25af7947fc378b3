"""Run the campaign, all of it, inside labs made for it. Arguments go to pytest; with arguments there is one lab."""

from __future__ import annotations

import os
import sys

import choice

sys.path.insert(0, str(choice.FOLDER.parent / "integration"))

import labs

NAME = os.environ.get("LAB_NAME", "campaign")


def batches() -> list[tuple[str, ...]]:
    """Each file for itself; the soak, which takes longest, first."""
    files = sorted(choice.FOLDER.glob("test_*.py"), key=lambda file: (file.name != "test_soak.py", file.name))
    return [(str(file),) for file in files]


if __name__ == "__main__":
    sys.exit(labs.some(NAME, sys.argv[1:]) if sys.argv[1:] else labs.everything(NAME, batches()))
