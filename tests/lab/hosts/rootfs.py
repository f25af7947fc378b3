# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines' image: a Debian tree built once by mmdebstrap and cached under the hash of its recipe.

Nothing is installed on the machine: mmdebstrap comes out of its package, apt works in folders of its own.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.names import LabError, cache_folder

SUITE = "trixie"  # its Slurm (24.11) is the one HyperPod's documents describe
MIRROR = "MLFLEET_HYPERPOD_DEBIAN_MIRROR"
"""The variable that names another mirror than the machine's."""
PACKAGES = (
    *("systemd-sysv", "dbus", "libpam-systemd", "python3", "sudo", "cron", "acl", "procps", "iproute2"),
    *("openssh-server", "openssh-client", "munge", "slurmctld", "slurmd", "slurm-client"),
    *("slurmdbd", "mariadb-server-core", "mariadb-client"),
    *("haproxy", "python3-fusepy", "openvpn", "nftables", "tmux"),
)
MMDEBSTRAP = (
    "--mode=root",
    "--variant=minbase",
    '--aptopt=Acquire::Languages "none"',
    "--dpkgopt=path-exclude=/usr/share/man/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=force-unsafe-io",
)
IMAGE = Path(__file__).with_name("image")
KEYRING_PACKAGE = "debian-archive-keyring"
Progress = Callable[[str], None]


def recipe_hash() -> str:
    """Changes with anything that goes into the image, and with the machine's architecture."""
    digest = hashlib.sha256(repr((SUITE, PACKAGES, MMDEBSTRAP, os.uname().machine)).encode())
    for path in sorted(IMAGE.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(IMAGE)} {path.stat().st_mode & 0o111:o}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """Path of the finished image; built first where the cache has none."""
    cache = cache_folder()
    tree = cache / f"rootfs-{recipe_hash()}"
    if tree.is_dir():
        os.utime(tree)  # marks it as used
        return tree
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "rootfs.lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("another lab builds the image: waiting")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not tree.is_dir():
            _build(cache, tree, progress)
    return tree


def _build(cache: Path, tree: Path, progress: Progress) -> None:
    month_ago = time.time() - 30 * 86400
    unused = [old for old in cache.glob("rootfs-*/") if old.stat().st_mtime < month_ago]
    for left_over in [*cache.glob("building-*/"), *unused]:
        shutil.rmtree(left_over)
    work = cache / f"building-{tree.name}"
    work.mkdir()
    progress(f"image: Debian {SUITE} is built once, into {tree}")
    with _phase(progress, "image: fetch mmdebstrap and the archive's keys"):
        apt = _apt_folders(work)
        for package in ("mmdebstrap", KEYRING_PACKAGE):
            _fetch(apt, package, work / "tools")
    with _phase(progress, f"image: install {len(PACKAGES)} packages and what they need"):
        _bootstrap(work, apt, progress)
    with _phase(progress, "image: add what HyperPod's image has"):
        _customise(work / "root")
    (work / "root").rename(tree)
    shutil.rmtree(work)


def _apt_folders(work: Path) -> list[str]:
    """Options that make apt work with the machine's sources and proxy, but in folders of ours."""
    state, archives = work / "apt" / "lists", work / "apt" / "archives"
    for folder in (state, archives):
        (folder / "partial").mkdir(parents=True)
    options = [f"Dir::State::Lists={state}", f"Dir::Cache={work / 'apt'}", f"Dir::Cache::Archives={archives}"]
    options += ["APT::Sandbox::User=root", "Acquire::Languages=none", "Acquire::Retries=3"]
    apt = [part for option in options for part in ("-o", option)]
    # A third-party source that fails must not stop the build: apt-get update ends with 0 then, and says so.
    _command(["apt-get", *apt, "-q", "update"], work / "apt.log")
    return apt


def _fetch(apt: list[str], package: str, target: Path) -> None:
    folder = target.parent / "download"
    folder.mkdir(exist_ok=True)
    _command(["apt-get", *apt, "-q", "download", package], target.parent / "apt.log", cwd=folder)
    for deb in folder.glob(f"{package}_*.deb"):
        _command(["dpkg", "-x", str(deb), str(target)], target.parent / "apt.log")


def _bootstrap(work: Path, apt: list[str], progress: Progress) -> None:
    tools = work / "tools"
    keyring = tools / "usr/share/keyrings/debian-archive-keyring.gpg"
    if not keyring.exists():
        keyring = keyring.with_suffix(".pgp")
    source = f"deb [signed-by={keyring}] {mirror(apt)} {SUITE} main"
    # Its mounts end with it, so that clearing away a broken build never reaches the machine's own /dev.
    argv = ["unshare", "--mount", "--propagation", "private", "--", str(tools / "usr/bin/mmdebstrap"), *MMDEBSTRAP]
    argv += [*_proxy_options(), f"--include={','.join(PACKAGES)}", SUITE, str(work / "root"), source]
    env = {**os.environ, "PATH": f"{tools / 'usr/bin'}:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
    _command(argv, work / "mmdebstrap.log", env=env, show=lambda line: progress(f"image:   {line}"))


def mirror(apt: list[str]) -> str:
    """Where Debian comes from: what the variable says, else what the machine's own apt takes it from.

    :raises LabError: on a machine whose apt knows no Debian archive.
    """
    argv = ["apt-get", *apt, "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(REPO_URI)", "Created-By: Packages"]
    found = os.environ.get(MIRROR) or find_mirror(
        subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False).stdout
    )
    if not found:
        raise LabError(f"apt of this machine has no Debian archive: set {MIRROR} to the URL of a mirror that has {SUITE}")
    return found


def find_mirror(targets: str) -> str | None:
    """The first archive of Debian itself, not of its security updates or backports: lines ORIGIN|LABEL|URI of apt."""
    for line in targets.split("\n"):
        who, _separator, uri = line.rpartition("|")
        if who == "Debian|Debian" and not uri.startswith("cdrom:"):
            return uri.rstrip("/")
    return None


def _proxy_options() -> list[str]:
    done = subprocess.run(["apt-config", "dump", "--format=%F %v%n"], capture_output=True, text=True, check=False)
    lines = (line.split(" ", 1) for line in done.stdout.splitlines() if line.startswith("Acquire::http"))
    return [f'--aptopt={key} "{value}"' for key, value in lines if key.endswith("::Proxy") and value]


def _customise(root: Path) -> None:
    shutil.copytree(IMAGE / "files", root, dirs_exist_ok=True)
    script = root / "customise"
    shutil.copy2(IMAGE / "customise", script)
    done = subprocess.run(
        ["chroot", str(root), "/bin/sh", "-eu", "/customise"],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LabError(f"image: customise failed: {done.stderr.strip()}")
    script.unlink()


def _command(
    argv: list[str],
    log: Path,
    *,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    show: Progress | None = None,
) -> None:
    """Run a command with its output in `log`; lines that begin with `I: ` are shown."""
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
            if show and line.startswith("I: "):
                show(line[3:].strip())
    if process.wait():
        tail = log.read_text(encoding="utf-8").splitlines()[-5:]
        raise LabError(f"{Path(argv[0]).name} failed (log: {log}):\n  " + "\n  ".join(tail))


@contextlib.contextmanager
def _phase(progress: Progress, text: str) -> Iterator[None]:
    begin = time.monotonic()
    yield
    progress(f"{text}: {time.monotonic() - begin:.1f} s")
