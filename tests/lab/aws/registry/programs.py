# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's Buildah and Podman, unpacked into the cache: ``python -m lab.aws.registry.programs NAME``. Nothing is installed on the machine."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError, cache_folder

SHELL = "busybox-static"
LIBRARIES = re.compile(r"lib(?:assuan|devmapper|glib2\.0-0|gpg-error|gpgme|seccomp|subid|yajl)[0-9a-z.-]*")
"""Packages of shared libraries that a small Debian may lack."""
WRAPPER = """#!/bin/sh -e
folder=$(dirname "$(dirname "$0")")
if [ ! -e "$HOME/ld.so.cache" ]; then
    printf '%s\\n' "$folder/usr/lib/$(uname -m)-linux-gnu" "$folder/lib/$(uname -m)-linux-gnu" "include /etc/ld.so.conf" > "$HOME/ld.so.conf"
    /sbin/ldconfig -X -C "$HOME/ld.so.cache" -f "$HOME/ld.so.conf"
fi
exec unshare --mount --propagation private sh -ec '
mount --bind "$HOME/ld.so.cache" /etc/ld.so.cache
exec "$0" "$@"' "$folder/usr/bin/$(basename "$0")" "$@"
"""
"""Starts the program with its libraries. It starts itself again with an empty environment, so LD_LIBRARY_PATH is not enough."""
POLICY = '{"default": [{"type": "insecureAcceptAnything"}]}'
"""Images need no signatures, as by default."""
ENGINE = """[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "crun"
conmon_path = ["{folder}/usr/bin/conmon"]
helper_binaries_dir = ["{folder}/usr/lib/podman"]
[engine.runtimes]
crun = ["{folder}/usr/bin/crun"]
[network]
network_backend = "netavark"
"""
"""Settings for the helpers of Podman. It requires them at its start, although builds do not use them."""


@dataclass(frozen=True)
class Program:
    """A builder of images."""

    name: str
    """Its name, its package and the kind of its folder in the cache."""
    helpers: tuple[str, ...] = ()
    """Packages of programs that it starts."""

    def recipe_hash(self) -> str:
        release = Path("/etc/os-release").read_text("utf-8")
        recipe = (self, SHELL, LIBRARIES.pattern, WRAPPER, release, os.uname().machine)
        return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]

    def ensure(self, progress: Progress) -> Path:
        """The folder with the program in ``bin``; it is unpacked first if the cache lacks it."""
        return debian.cached(self.name, self.recipe_hash(), lambda work, made: self._unpack(work, made, progress), progress)

    def installed(self) -> Path:
        """The same inside a lab, which reaches no mirror.

        :raises LabError: if it is not unpacked.
        """
        found = cache_folder() / f"{self.name}-{self.recipe_hash()}"
        if not found.is_dir():
            raise LabError(f"{self.name} is not unpacked; make {self.name}, outside of the lab, unpacks it")
        return found

    def settings(self, home: Path) -> dict[str, str]:
        """Environment variables for builds as root, with all images and settings below ``home``."""
        folder = home / ".config/containers"
        folder.mkdir(parents=True)
        (folder / "policy.json").write_text(POLICY)
        (home / "registries.conf").write_text("unqualified-search-registries = []\n")
        (home / "storage.conf").write_text(f'[storage]\ndriver = "vfs"\ngraphroot = "{home}/images"\nrunroot = "{home}/run"\n')
        (home / "containers.conf").write_text(ENGINE.format(folder=self.installed()) if self.helpers else "")
        return {
            "HOME": str(home),
            "BUILDAH_ISOLATION": "chroot",
            "CONTAINERS_CONF": str(home / "containers.conf"),
            "CONTAINERS_REGISTRIES_CONF": str(home / "registries.conf"),
            "CONTAINERS_STORAGE_CONF": str(home / "storage.conf"),
        }

    def _unpack(self, work: Path, made: Path, progress: Progress) -> None:
        with debian.phase(progress, f"{self.name}: Debian's package"):
            apt = debian.Apt(work)
            kinds = [f"--no-{kind}" for kind in ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")]
            argv = ["apt-cache", *apt.options, "depends", "--recurse", *kinds, self.name, *self.helpers]
            listed = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
            libraries = sorted({line for line in listed.split("\n") if LIBRARIES.fullmatch(line)})
            apt.unpack(self.name, SHELL, *self.helpers, *libraries).rename(made)
            start = made / "bin" / self.name
            start.parent.mkdir(exist_ok=True)
            start.write_text(WRAPPER)
            start.chmod(0o755)


BUILDAH = Program("buildah")
PODMAN = Program("podman", ("conmon", "crun", "netavark"))
PROGRAMS = {each.name: each for each in (BUILDAH, PODMAN)}


if __name__ == "__main__":
    try:
        print(PROGRAMS[sys.argv[1]].ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
