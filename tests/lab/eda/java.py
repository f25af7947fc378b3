# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's Java, unpacked into the cache: ``python -m lab.eda.java``. It is not installed on the machine."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError

DEFAULT = "default-jre-headless"
"""The package that depends on the Java of the machine's release."""
PACKAGE = re.compile(r"openjdk-\d+-jre-headless")


def recipe_hash() -> str:
    recipe = (DEFAULT, Path("/etc/os-release").read_text("utf-8"), os.uname().machine)
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """A path for JAVA_HOME; the package is unpacked first if the cache lacks it."""
    return home(debian.cached("java", recipe_hash(), lambda work, made: _unpack(work, made, progress), progress))


def home(unpacked: Path) -> Path:
    """The folder of the only Java in an unpacked package."""
    (found,) = [each for each in (unpacked / "usr/lib/jvm").iterdir() if each.is_dir() and not each.is_symlink()]
    return found


def package(depends: str) -> str:
    """The name of the package, from the output of ``apt-cache depends``.

    :raises LabError: if there is none.
    """
    found = PACKAGE.search(depends)
    if found is None:
        raise LabError(f"apt of this machine has no Java: {DEFAULT} depends on no package {PACKAGE.pattern}")
    return found[0]


def relink(root: Path) -> None:
    """Let links to files of the unpacked package point to them: the package has its settings in ``/etc``."""
    for folder, folders, files in os.walk(root):
        for link in (Path(folder, name) for name in (*folders, *files)):
            target = root / os.readlink(link).lstrip("/") if link.is_symlink() else None
            if target is not None and os.path.isabs(os.readlink(link)) and os.path.lexists(target):
                link.unlink()
                link.symlink_to(os.path.relpath(target, folder))


def _unpack(work: Path, made: Path, progress: Progress) -> None:
    with debian.phase(progress, "java: Debian's package"):
        apt = debian.Apt(work)
        argv = ["apt-cache", *apt.options, "depends", DEFAULT]
        depends = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
        apt.unpack(package(depends)).rename(made)
        relink(made)


if __name__ == "__main__":
    try:
        print(ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
