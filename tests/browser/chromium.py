# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's headless Chromium, in a separate root tree that is built once: ``python -m browser.chromium``."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError

SUITE = "trixie"
PACKAGES = ("chromium-headless-shell", "fonts-dejavu-core")
PROGRAM = "/usr/lib/chromium/chromium-headless-shell"
"""Path in the tree."""


def recipe_hash() -> str:
    """Hash of everything that determines the tree, with the machine's architecture."""
    return hashlib.sha256(repr((SUITE, PACKAGES, debian.LEAN, os.uname().machine)).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """Path of the tree, which is built if the cache has none."""
    return debian.cached("browser", recipe_hash(), lambda work, root: _build(work, root, progress), progress)


def _build(work: Path, root: Path, progress: Progress) -> None:
    with debian.phase(progress, f"browser: Debian {SUITE} with {PACKAGES[0]}"):
        debian.tree(debian.Apt(work), root, SUITE, PACKAGES, lambda line: progress(f"browser: {line}"))


def main() -> int:
    try:
        print(ensure(lambda line: print(line, file=sys.stderr)))
    except LabError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
