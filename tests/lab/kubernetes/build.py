# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of the control plane and the kubelet, compiled once from Debian's source: ``python -m lab.kubernetes.build``.

It is 1.20, the newest version with complete source in Debian.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError, cache_folder

SUITE = "bookworm"
PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
KUBELET = "kubelet"
"""Needed only by nodes that run their Pods; a given folder may lack it."""
ETCD = "etcd"
KIND = "kubernetes"
PACKAGES = (
    *("golang-1.19-go", "golang-1.19-src", "golang-github-modern-go-reflect2-dev"),
    *("make", "rsync", "jq", "dpkg-dev", "etcd-server"),
)
FOLDER = "MLFLEET_KUBERNETES_BIN"
"""The variable with a folder of programs of any version to use instead; etcd is Debian's if the folder has none."""
ETCD_PACKAGE = "etcd-server"
SCRIPT = Path(__file__).with_name("build.sh")
_COMPILED = (*PROGRAMS, KUBELET)
EVERY_SECONDS = 20


def recipe_hash() -> str:
    """Hash of all inputs of the programs and of the machine's architecture."""
    recipe = (SUITE, PACKAGES, _COMPILED, debian.LEAN, os.uname().machine, SCRIPT.read_text("utf-8"))
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """Path of the folder with the programs; they are built first if the cache lacks them.

    :raises LabError: if the folder in the variable lacks them.
    """
    found = _given() or debian.cached(KIND, recipe_hash(), lambda work, made: _build(work, made, progress), progress)
    if not _executable(found / ETCD):
        debian.cached(ETCD, _etcd_hash(), _get_etcd, progress)
    return found


def built() -> Path:
    """The same inside a lab, which reaches no mirror.

    :raises LabError: if it is not built.
    """
    found = _given() or cache_folder() / f"{KIND}-{recipe_hash()}"
    if not found.is_dir() or not _executable(etcd_of(found)):
        raise LabError("the lab's Kubernetes is not built: make kubernetes, outside of the lab")
    return found


def etcd_of(folder: Path) -> Path:
    """etcd of the folder, or that of Debian's package."""
    own = folder / ETCD
    return own if _executable(own) else cache_folder() / f"{ETCD}-{_etcd_hash()}" / ETCD


def kubelet_of(folder: Path) -> Path:
    """:raises LabError: if the folder has none."""
    program = folder / KUBELET
    if not _executable(program):
        raise LabError(f"{folder} has no program {KUBELET}, so no node can run its Pods: name a folder that has it in {FOLDER}, or none")
    return program


def version(folder: Path) -> tuple[int, int]:
    """
    :raises LabError: if the API server does not print its version.
    """
    program = folder / PROGRAMS[0]
    output = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"v(\d+)\.(\d+)", output)
    if found is None:
        raise LabError(f"{program} --version prints no version: {output.strip()!r}")
    return (int(found[1]), int(found[2]))


def _given() -> Path | None:
    given = os.environ.get(FOLDER)
    if not given:
        return None
    missing = [program for program in PROGRAMS if not _executable(Path(given, program))]
    if missing:
        raise LabError(f"{FOLDER}: {given} has no program {', '.join(missing)}")
    return Path(given)


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _etcd_hash() -> str:
    return hashlib.sha256(repr((ETCD_PACKAGE, os.uname().machine)).encode()).hexdigest()[:16]


def _get_etcd(work: Path, made: Path) -> None:
    tools = debian.Apt(work).unpack(ETCD_PACKAGE)
    made.mkdir()
    shutil.copy2(tools / "usr/bin" / ETCD, made / ETCD)


def _build(work: Path, made: Path, progress: Progress) -> None:
    progress(f"kubernetes: compiled once, in {work.parent}; needs 3 GB meanwhile")
    apt, root = debian.Apt(work), work / "root"
    with debian.phase(progress, f"kubernetes: Debian {SUITE} with a compiler"):
        debian.tree(apt, root, SUITE, PACKAGES, lambda line: None)
    with debian.phase(progress, "kubernetes: the source"):
        apt.source(SUITE, "kubernetes").rename(root / "source")
    shutil.copy2(SCRIPT, root / "build.sh")
    script = f"mount -t proc proc {root}/proc; mount --bind /dev {root}/dev; exec chroot {root} /bin/bash -eu /build.sh {' '.join(_COMPILED)}"
    argv = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "--", "bash", "-euc", script]
    with debian.phase(progress, f"kubernetes: {', '.join(_COMPILED)}"):
        debian.command(argv, work / "build.log", env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, show=_Counting(progress))
    made.mkdir()
    for program in _COMPILED:
        shutil.move(root / "bin-made" / program, made / program)
    shutil.copy2(root / "usr/bin/etcd", made / ETCD)


class _Counting:
    """Reports the number of compiled packages at intervals."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.doing, self.count = "", 0
        self.begin = self.reported = time.monotonic()

    def __call__(self, line: str) -> None:
        if line.startswith("== "):
            self.doing = line[3:].strip()
        self.count += 1
        if time.monotonic() - self.reported > EVERY_SECONDS:
            self.reported = time.monotonic()
            self.progress(f"kubernetes:   {self.doing}: {self.count} packages so far, {self.reported - self.begin:.0f} s")


if __name__ == "__main__":
    try:
        print(ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
