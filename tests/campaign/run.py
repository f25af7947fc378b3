"""Run the whole campaign in labs of its own, with the integration tests of which `make test` runs only a part.

Arguments are passed to pytest; a run with arguments uses one lab.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import choice

sys.path.insert(0, str(choice.FOLDER.parent / "integration"))

import labs

NAME = os.environ.get("LAB_NAME", "campaign")


def batches() -> list[tuple[str, ...]]:
    """One batch for each file, the soak first because it takes longest. Files of slow integration tests are run completely."""
    files = sorted(choice.FOLDER.glob("test_*.py"), key=lambda file: (file.name != "test_soak.py", file.name))
    in_turns = [file for file in sorted(Path(labs.__file__).parent.glob("test_*.py")) if "pytest.mark.slow" in file.read_text("utf-8")]
    return [(str(file),) for file in (*files, *in_turns)]


if __name__ == "__main__":
    sys.exit(labs.some(NAME, sys.argv[1:]) if sys.argv[1:] else labs.everything(NAME, batches()))
