# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-rulebook in a virtual environment of the cache: ``python -m lab.eda.runtime``.

It finds event sources and filters of collections by the program ansible-galaxy, and runs playbooks by ansible-playbook. Both are those
of this Python's environment, where the package ``ansible`` has amazon.aws. ANSIBLE_COLLECTIONS_PATH adds further collections.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError

from . import java

KIND = "eda"
REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements" / "eda.txt"
PROGRAM = """#!/bin/sh
exec "$(dirname "$0")/../venv/bin/python" -c 'import sys; from ansible_rulebook.cli import main; sys.exit(main())' "$@"
"""
"""The program of the package has the absolute path of the folder in which it was built."""


@dataclass(frozen=True)
class Runtime:
    program: Path
    """ansible-rulebook."""
    java: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables of the program, without any of this process."""
        folders = (self.program.parent, Path(sys.executable).parent, self.java / "bin")
        path = ":".join([*map(str, folders), "/usr/sbin", "/usr/bin", "/sbin", "/bin"])
        return {"PATH": path, "JAVA_HOME": str(self.java), "LANG": "C.UTF-8"}


def recipe_hash() -> str:
    """Hash of the versions, of Python and of the machine's architecture."""
    recipe = (sys.version_info[:2], sys.base_prefix, platform.machine(), REQUIREMENTS.read_text("utf-8"), PROGRAM)
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Runtime:
    """The runtime; what the cache lacks is downloaded first."""
    found = debian.cached(KIND, recipe_hash(), lambda work, made: _install(work, made, progress), progress)
    return Runtime(found / "bin" / "ansible-rulebook", java.ensure(progress))


def _install(work: Path, made: Path, progress: Progress) -> None:
    log, python = work / "install.log", made / "venv" / "bin" / "python"
    with debian.phase(progress, "eda: ansible-rulebook"):
        debian.command([sys.executable, "-m", "venv", "--without-pip", str(made / "venv")], log)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check"]
        debian.command([*pip, "--requirement", str(REQUIREMENTS)], log, env={**os.environ, "PIP_REQUIRE_VIRTUALENV": "false"})
    program = made / "bin" / "ansible-rulebook"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)


if __name__ == "__main__":
    try:
        print(ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
