"""`make molecule`: run the molecule scenarios on the machines of a lab of their own. Arguments go to molecule.

Its modules run as they do on anybody's machine (lab/python), so that something in CI does not rest on how the others do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lab import python
from lab.hosts import cgroups

TESTS = Path(__file__).resolve().parent
NAME = os.environ.get("LAB_NAME", "molecule")
MACHINES = 6
"""Of a lab's own cluster."""


def lab(*arguments: str) -> int:
    """A verb of the lab."""
    command = [sys.executable, "-m", "lab", *arguments, "--name", NAME]
    if arguments[0] == "exec":
        command = [sys.executable, "-m", "lab", "exec", "--name", NAME, "--", *arguments[1:]]
    environment = {python.PLAIN: "yes", **os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.run(command, env=environment, cwd=TESTS.parent / "extensions", check=False).returncode


def main() -> int:
    arguments = sys.argv[1:] or ["test", "--all", "--destroy", "never"]
    lab("down")  # what a crashed run left
    cgroups.wait_for_room(MACHINES)
    if lab("up"):
        return 1
    try:
        # Without the path that finds the lab: this file would be taken for the molecule package.
        return lab("exec", "env", "-u", "PYTHONPATH", "molecule", *arguments)
    finally:
        lab("down")


if __name__ == "__main__":
    sys.exit(main())
