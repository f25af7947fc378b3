"""`make molecule`: run the molecule scenarios on the machines of a separate lab. Arguments are passed to molecule.

Modules start a Python of their own here, as on a user's machine (lab/python), so that one job of CI works without the lab's fork server.
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
"""Of the cluster that each lab has."""
TRIES = 3


def lab(*arguments: str) -> int:
    """Exit status of a subcommand of the lab."""
    command = [sys.executable, "-m", "lab", *arguments, "--name", NAME]
    if arguments[0] == "exec":
        command = [sys.executable, "-m", "lab", "exec", "--name", NAME, "--", *arguments[1:]]
    environment = {python.PLAIN: "yes", **os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.run(command, env=environment, cwd=TESTS.parent / "extensions", check=False).returncode


def is_up() -> bool:
    """Start the lab. Concurrent labs may take the room for its machines first, so a failure is tried again."""
    for _try in range(TRIES):
        lab("down")  # what a crashed run left, or the last try
        cgroups.wait_for_room(MACHINES)
        if lab("up") == 0:
            return True
    return False


def main() -> int:
    arguments = sys.argv[1:] or ["test", "--all", "--destroy", "never"]
    if not is_up():
        return 1
    try:
        # Without the path that finds the lab: this file would be taken for the molecule package.
        return lab("exec", "env", "-u", "PYTHONPATH", "molecule", *arguments)
    finally:
        lab("down")


if __name__ == "__main__":
    sys.exit(main())
