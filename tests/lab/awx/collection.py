# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection awx.awx from the package ``ansible``, unpacked into the cache: ``python -m lab.awx.collection``.

This machine does not reach Galaxy. The other collections of the package are left out.
"""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError

REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements" / "awx.txt"
PART = "ansible_collections/awx/"


def ensure(progress: Progress) -> Path:
    """A path for ANSIBLE_COLLECTIONS_PATH; the package is downloaded first if the cache lacks it."""
    recipe = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:16]
    return debian.cached("awx", recipe, lambda work, made: _unpack(work, made, progress), progress)


def _unpack(work: Path, made: Path, progress: Progress) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    with debian.phase(progress, "awx.awx: AWX's collection"):
        debian.command([*pip, "--dest", str(work), "--requirement", str(REQUIREMENTS)], work / "download.log")
        (wheel,) = work.glob("ansible-*.whl")
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(made, [name for name in packed.namelist() if name.startswith(PART)])


if __name__ == "__main__":
    try:
        print(ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
