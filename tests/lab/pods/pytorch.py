# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""PyTorch for containers of nodes that run their Pods, from a package index into the cache."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError, cache_folder

from . import trees

KIND = "pytorch"
WHEEL = "TORCH_WHEEL"
"""The variable that names a wheel of PyTorch for CPython 3.11 to install instead of the index's."""
REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements" / "pytorch.txt"
INDEX = "https://download.pytorch.org/whl/cpu"
MEGABYTES = 192
COMPILE = f"""
mount --bind "$1" "$2/mnt"
chroot "$2" python3 -m compileall -q -j 2 -x /testing/_internal/ -s /mnt -p /{trees.MODULES} /mnt
"""
"""Byte code for the containers' Python, which can't write it: without it, each import of PyTorch compiles all modules."""


def recipe_hash() -> str:
    """Changes with the versions, and with the wheel if one is named."""
    recipe = (os.uname().machine, REQUIREMENTS.read_text("utf-8"), Path(os.environ.get(WHEEL, "")).name, COMPILE)
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """The folder with the packages; they are installed first if the cache lacks it."""
    tree = trees.CONTAINER.ensure(progress)
    return debian.cached(KIND, recipe_hash(), lambda work, made: _install(work, made, tree, progress), progress)


def installed() -> Path:
    """The same inside a lab, which reaches no package index.

    :raises LabError: if PyTorch is not installed.
    """
    found = cache_folder() / f"{KIND}-{recipe_hash()}"
    if not found.is_dir():
        raise LabError("PyTorch is not installed: run make pods outside of the lab")
    return found


def _install(work: Path, made: Path, tree: Path, progress: Progress) -> None:
    wheel = os.environ.get(WHEEL)
    requirements = work / "requirements.txt"
    requirements.write_text(wanted(REQUIREMENTS.read_text("utf-8"), wheel))
    if not wheel:
        progress(f"pytorch: downloads {MEGABYTES} MB once")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile"]
    pip += ["--target", str(made), "--python-version", "3.11", "--only-binary", ":all:"]
    pip += ["--requirement", str(requirements), *([] if wheel else ["--extra-index-url", INDEX])]
    with debian.phase(progress, "pytorch: install"):
        debian.command(pip, work / "install.log")
    argv = ["unshare", "--mount", "--propagation", "private", "--", "sh", "-euc", COMPILE, "sh", str(made), str(tree)]
    with debian.phase(progress, "pytorch: compile"):
        debian.command(argv, work / "compile.log")


def wanted(requirements: str, wheel: str | None) -> str:
    """The requirements with the wheel in the place of PyTorch itself, if one is named."""
    lines = requirements.split("\n")
    return "\n".join(wheel if wheel and line.startswith("torch==") else line for line in lines)
