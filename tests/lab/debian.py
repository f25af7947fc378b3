# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian trees and other builds, made once and cached under the hash of their recipe.

Nothing is installed on the machine: mmdebstrap is unpacked from its package, apt uses separate folders.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from lab.names import LabError, cache_folder

MIRROR = "MLFLEET_HYPERPOD_DEBIAN_MIRROR"
"""The variable with a mirror other than the machine's."""
KEYRING_PACKAGE = "debian-archive-keyring"
LEAN = (
    "--mode=root",
    "--variant=minbase",
    '--aptopt=Acquire::Languages "none"',
    "--dpkgopt=path-exclude=/usr/share/man/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=force-unsafe-io",
)
"""Options of mmdebstrap for a small tree."""
Progress = Callable[[str], None]


def cached(kind: str, recipe: str, build: Callable[[Path, Path], None], progress: Progress) -> Path:
    """The folder ``KIND-RECIPE`` of the cache; if missing, ``build`` gets a work folder and the path to create in it."""
    cache = cache_folder()
    found = cache / f"{kind}-{recipe}"
    if found.is_dir():
        os.utime(found)  # marks it as recently used
        return found
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f"{kind}.lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(f"{kind}: another process builds it; waiting")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.is_dir():
            _clear(cache, kind)
            work = cache / f"building-{found.name}"
            work.mkdir()
            build(work, work / "made")
            (work / "made").rename(found)
            shutil.rmtree(work)
    return found


def _clear(cache: Path, kind: str) -> None:
    month_ago = time.time() - 30 * 86400
    unused = [old for old in cache.glob(f"{kind}-*/") if old.stat().st_mtime < month_ago]
    for left_over in [*cache.glob(f"building-{kind}-*/"), *unused]:
        shutil.rmtree(left_over)


class Apt:
    """The machine's apt, with its sources and proxy, in separate folders below ``work``."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.log = work / "apt.log"
        state, archives = work / "apt" / "lists", work / "apt" / "archives"
        for folder in (state, archives):
            (folder / "partial").mkdir(parents=True)
        options = [f"Dir::State::Lists={state}", f"Dir::Cache={work / 'apt'}", f"Dir::Cache::Archives={archives}"]
        options += ["APT::Sandbox::User=root", "Acquire::Languages=none", "Acquire::Retries=3"]
        self.options = [part for option in options for part in ("-o", option)]
        # A failing third-party source must not stop the build: apt-get update then exits with 0 and a warning.
        command(["apt-get", *self.options, "-q", "update"], self.log)

    def unpack(self, *packages: str) -> Path:
        """The folder with the unpacked files of these packages."""
        folder, tools = self.work / "download", self.work / "tools"
        folder.mkdir(exist_ok=True)
        for package in packages:
            command(["apt-get", *self.options, "-q", "download", package], self.log, cwd=folder)
            for deb in folder.glob(f"{package}_*.deb"):
                command(["dpkg", "-x", str(deb), str(tools)], self.log)
        return tools

    def source(self, suite: str, package: str) -> Path:
        """The folder with the files of a source package."""
        folder, listed = self.work / "source", self.work / "sources.list"
        folder.mkdir()
        listed.write_text(f"deb-src [signed-by={keyring(self.work / 'tools')}] {mirror(self.options, suite)} {suite} main\n")
        options = [*self.options, "-o", f"Dir::Etc::SourceList={listed}", "-o", "Dir::Etc::SourceParts=/dev/null"]
        command(["apt-get", *options, "-q", "update"], self.log)
        command(["apt-get", *options, "-q", "source", "--download-only", package], self.log, cwd=folder)
        return folder


def tree(apt: Apt, root: Path, suite: str, packages: Iterable[str], progress: Progress) -> None:
    """Create a small Debian tree at ``root`` with these packages and their dependencies."""
    tools = apt.unpack("mmdebstrap", KEYRING_PACKAGE)
    source = f"deb [signed-by={keyring(tools)}] {mirror(apt.options, suite)} {suite} main"
    # Its mounts end with it, so that removing a failed build never affects the machine's /dev.
    argv = ["unshare", "--mount", "--propagation", "private", "--", str(tools / "usr/bin/mmdebstrap"), *LEAN]
    argv += [*_proxy_options(), f"--include={','.join(packages)}", suite, str(root), source]
    env = {**os.environ, "PATH": f"{tools / 'usr/bin'}:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
    command(argv, apt.work / "mmdebstrap.log", env=env, show=_informing(progress))


def _informing(progress: Progress) -> Progress:
    return lambda line: progress(f"  {line[3:].strip()}") if line.startswith("I: ") else None


def keyring(tools: Path) -> Path:
    """The archive's keys, of the unpacked package."""
    found = tools / "usr/share/keyrings/debian-archive-keyring.gpg"
    return found if found.exists() else found.with_suffix(".pgp")


def mirror(apt: Sequence[str], suite: str) -> str:
    """The Debian mirror: from the variable, else that of the machine's apt.

    :raises LabError: if the machine's apt has no Debian archive.
    """
    argv = ["apt-get", *apt, "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(REPO_URI)", "Created-By: Packages"]
    found = os.environ.get(MIRROR) or find_mirror(
        subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False).stdout
    )
    if not found:
        raise LabError(f"apt of this machine has no Debian archive: set {MIRROR} to the URL of a mirror that has {suite}")
    return found


def find_mirror(targets: str) -> str | None:
    """The first archive of Debian itself, not of its security updates or backports: lines ORIGIN|LABEL|URI of apt."""
    for line in targets.split("\n"):
        origin, _separator, uri = line.rpartition("|")
        if origin == "Debian|Debian" and not uri.startswith("cdrom:"):
            return uri.rstrip("/")
    return None


def _proxy_options() -> list[str]:
    done = subprocess.run(["apt-config", "dump", "--format=%F %v%n"], capture_output=True, text=True, check=False)
    lines = (line.split(" ", 1) for line in done.stdout.splitlines() if line.startswith("Acquire::http"))
    return [f'--aptopt={key} "{value}"' for key, value in lines if key.endswith("::Proxy") and value]


def command(
    argv: list[str],
    log: Path,
    *,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    show: Progress | None = None,
) -> None:
    """Run a command with its output in ``log``; ``show`` also gets each line.

    :raises LabError: with the end of the log.
    """
    with open(log, "a", encoding="utf-8") as out:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout is not None
        for line in process.stdout:
            out.write(line)
            if show:
                show(line)
    if process.wait():
        tail = log.read_text(encoding="utf-8").splitlines()[-5:]
        raise LabError(f"{Path(argv[0]).name} failed (log: {log}):\n  " + "\n  ".join(tail))


@contextlib.contextmanager
def phase(progress: Progress, text: str) -> Iterator[None]:
    """Report the duration of a phase."""
    begin = time.monotonic()
    yield
    progress(f"{text}: {time.monotonic() - begin:.1f} s")
