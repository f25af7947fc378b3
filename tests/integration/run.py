"""Start a lab of its own, run the integration tests inside it, take it down again. Arguments go to pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
NAME = os.environ.get("LAB_NAME", "integration")


def lab(*arguments: str) -> int:
    command = [sys.executable, "-m", "lab", *arguments]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": str(TESTS)}, check=False).returncode


def main() -> int:
    lab("down", "--name", NAME)  # what a crashed run left
    if lab("up", "--empty", "--name", NAME):
        return 1
    try:
        arguments = sys.argv[1:] or [str(TESTS / "integration")]
        pytest = ["pytest", "-p", "no:cacheprovider", "--durations=10", "-ra", *arguments]
        return lab("exec", "--name", NAME, "--", sys.executable, "-m", *pytest)
    finally:
        lab("down", "--name", NAME)


if __name__ == "__main__":
    sys.exit(main())
