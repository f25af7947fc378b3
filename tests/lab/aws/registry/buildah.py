# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's Buildah, unpacked into the cache: ``python -m lab.aws.registry.buildah``. Nothing is installed on the machine."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError, cache_folder

KIND = "buildah"
PACKAGE, SHELL = "buildah", "busybox-static"
LIBRARIES = re.compile(r"lib(?:assuan|devmapper|gpg-error|gpgme|seccomp|subid)[0-9a-z.-]*")
"""Packages of shared libraries that a small Debian may lack."""
WRAPPER = """#!/bin/sh -e
folder=$(dirname "$(dirname "$0")")
if [ ! -e "$HOME/ld.so.cache" ]; then
    printf '%s\\n' "$folder/usr/lib/$(uname -m)-linux-gnu" "$folder/lib/$(uname -m)-linux-gnu" "include /etc/ld.so.conf" > "$HOME/ld.so.conf"
    /sbin/ldconfig -X -C "$HOME/ld.so.cache" -f "$HOME/ld.so.conf"
fi
exec unshare --mount --propagation private sh -ec '
mount --bind "$HOME/ld.so.cache" /etc/ld.so.cache
exec "$0" "$@"' "$folder/usr/bin/buildah" "$@"
"""
"""Starts Buildah with its libraries. It starts itself again with an empty environment, so LD_LIBRARY_PATH is not enough."""
POLICY = '{"default": [{"type": "insecureAcceptAnything"}]}'
"""Images need no signatures, as by default."""


def recipe_hash() -> str:
    release = Path("/etc/os-release").read_text("utf-8")
    return hashlib.sha256(repr((PACKAGE, SHELL, LIBRARIES.pattern, WRAPPER, release, os.uname().machine)).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """The folder with ``bin/buildah``; it is unpacked first if the cache lacks it."""
    return debian.cached(KIND, recipe_hash(), lambda work, made: _unpack(work, made, progress), progress)


def installed() -> Path:
    """The same inside a lab, which reaches no mirror.

    :raises LabError: if it is not unpacked.
    """
    found = cache_folder() / f"{KIND}-{recipe_hash()}"
    if not found.is_dir():
        raise LabError("Buildah is not unpacked; make buildah, outside of the lab, unpacks it")
    return found


def settings(home: Path) -> dict[str, str]:
    """Environment variables for builds as root, with all images and settings below ``home``."""
    folder = home / ".config/containers"
    folder.mkdir(parents=True)
    (folder / "policy.json").write_text(POLICY)
    (home / "registries.conf").write_text("unqualified-search-registries = []\n")
    (home / "storage.conf").write_text(f'[storage]\ndriver = "vfs"\ngraphroot = "{home}/images"\nrunroot = "{home}/run"\n')
    return {
        "HOME": str(home),
        "BUILDAH_ISOLATION": "chroot",
        "CONTAINERS_REGISTRIES_CONF": str(home / "registries.conf"),
        "CONTAINERS_STORAGE_CONF": str(home / "storage.conf"),
    }


def _unpack(work: Path, made: Path, progress: Progress) -> None:
    with debian.phase(progress, "buildah: Debian's Buildah"):
        apt = debian.Apt(work)
        kinds = [f"--no-{kind}" for kind in ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")]
        argv = ["apt-cache", *apt.options, "depends", "--recurse", *kinds, PACKAGE]
        listed = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        libraries = sorted({line for line in listed.split("\n") if LIBRARIES.fullmatch(line)})
        apt.unpack(PACKAGE, SHELL, *libraries).rename(made)
        program = made / "bin" / "buildah"
        program.parent.mkdir(exist_ok=True)
        program.write_text(WRAPPER)
        program.chmod(0o755)


if __name__ == "__main__":
    try:
        print(ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
