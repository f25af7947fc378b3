# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HyperPod's own command line, ``hyp``, from the machine's package index into the cache: ``python -m lab.kueue.hyp``.

It tells AWS the caller's account and Region and how a command ended, and has no switch for that; a lab gives it no way out.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError, cache_folder

KIND = "hyp"
REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements" / "hyp.txt"
MAIN = "from sagemaker.hyperpod.cli.hyp_cli import cli; cli()"


def recipe_hash() -> str:
    """Changes with the version, and with the Python and the machine that it is for."""
    recipe = (sys.version_info[:2], platform.machine(), REQUIREMENTS.read_text("utf-8"))
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """The folder that has it; installed first where the cache has none."""
    return debian.cached(KIND, recipe_hash(), lambda work, made: _install(work, made, progress), progress)


def installed() -> Path:
    """The same, in a lab, from which no package index can be reached.

    :raises LabError: where it is not installed.
    """
    found = cache_folder() / f"{KIND}-{recipe_hash()}"
    if not found.is_dir():
        raise LabError("hyp is not installed; make hyp, outside of the lab, installs it")
    return found


def _install(work: Path, made: Path, progress: Progress) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    with debian.phase(progress, "hyp: HyperPod's command line"):
        debian.command([*pip, "--target", str(made), "--requirement", str(REQUIREMENTS)], work / "install.log")


if __name__ == "__main__":
    try:
        print(ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
