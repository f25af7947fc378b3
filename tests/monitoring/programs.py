# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's Prometheus, promtool and node_exporter, unpacked into the cache: ``python -m monitoring.programs``.

They are not installed, because their packages start services.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError

PACKAGES = ("prometheus", "prometheus-node-exporter")


def recipe_hash() -> str:
    recipe = (PACKAGES, Path("/etc/os-release").read_text("utf-8"), os.uname().machine)
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """The folder with the programs; they are unpacked first if the cache lacks them."""
    found = debian.cached("prometheus", recipe_hash(), lambda work, made: _unpack(work, made, progress), progress)
    return found / "usr/bin"


def _unpack(work: Path, made: Path, progress: Progress) -> None:
    with debian.phase(progress, "prometheus: Debian's packages"):
        debian.Apt(work).unpack(*PACKAGES).rename(made)


if __name__ == "__main__":
    try:
        print(ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
