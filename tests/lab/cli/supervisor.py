# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's first process: creates the namespaces, starts the API and reaps processes. The kernel ends all others with it.

Run as `python -m lab.cli.supervisor NAME IMAGE` by `up`. Prints one JSON line: the error, empty on success.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from lab.cli import home, lifecycle
from lab.hosts import cgroups, namespace
from lab.names import LabError, Paths, hosts_file
from lab.net.network import ip

API_SECONDS = 60


def main(paths: Paths, image: Path) -> None:
    namespace.unshare(namespace.NEWNS | namespace.NEWNET | namespace.NEWPID | namespace.NEWUTS)
    reader, writer = os.pipe()
    recorded, record_done = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        lifecycle.write_record(paths, child)
        os.close(record_done)
        trouble = os.read(reader, 65536).decode()
        print(json.dumps({"error": trouble}), flush=True)
        return
    os.close(reader)
    os.close(record_done)
    os.read(recorded, 1)  # wait for the record: the first mount hides its folder from both processes
    os.close(recorded)
    os.setsid()
    _to_log(paths)
    try:
        _prepare(paths, image)
        _start_api(paths)
    except (LabError, OSError, subprocess.SubprocessError) as error:
        os.write(writer, str(error).encode())
        os._exit(1)
    os.close(writer)
    _reap()


def _to_log(paths: Paths) -> None:
    """Open the log before RAM covers the folder, so that it stays readable after a crash."""
    log = os.open(paths.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.closerange(log, log + 1)


def _prepare(paths: Paths, image: Path) -> None:
    namespace.make_private()
    namespace.sethostname(f"lab-{paths.name}")
    namespace.mount("lab", paths.state, "tmpfs", data="mode=755,size=75%")
    namespace.mount("proc", "/proc", "proc")
    namespace.mount("run", "/run", "tmpfs", data="mode=755,size=75%")
    for name in ("netns", "lock", "lab"):
        Path("/run", name).mkdir()
    for folder in (paths.hosts, paths.disks, paths.clusters, paths.filesystems, paths.temporary, paths.rootfs):
        folder.mkdir()
    namespace.bind(image, paths.rootfs, read_only=True)
    collection = paths.collections / "ansible_collections" / "mlfleet" / "hyperpod"
    collection.mkdir(parents=True)
    namespace.bind(paths.repo, collection)
    _private_etc(paths)
    _quiet_network()
    home.make(paths)
    (cgroups.root() / paths.cgroup).mkdir(parents=True, exist_ok=True)
    paths.inside_mark.touch()


def _private_etc(paths: Paths) -> None:
    """Names of the lab, and a home for root, which OpenSSH reads from the user database instead of HOME."""
    paths.etc_hosts.parent.mkdir()
    paths.etc_hosts.write_text(hosts_file({}))
    namespace.bind(paths.etc_hosts, "/etc/hosts")
    passwd = paths.etc_hosts.with_name("passwd")
    shutil.copyfile("/etc/passwd", passwd)
    passwd.write_text(home.with_root_home(passwd.read_text(), paths.home))
    namespace.bind(passwd, "/etc/passwd")


def _quiet_network() -> None:
    ip("link", "set", "lo", "up")
    with contextlib.suppress(OSError):  # read-only in some containers, where it is off already
        Path("/proc/sys/net/ipv4/ip_forward").write_text("0")


def _start_api(paths: Paths) -> None:
    env = home.environment(paths, os.environ)
    env["PYTHONPATH"] = str(paths.tests)
    argv = [sys.executable, "-m", "lab.aws.server", "--state", str(paths.state)]
    server = subprocess.Popen(argv, env=env, cwd="/", start_new_session=True)
    deadline = time.monotonic() + API_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError):
            urllib.request.urlopen(f"{paths.api_url}/lab/ready", timeout=5).close()
            return
        time.sleep(0.05)
    raise LabError("the API server did not start")


def _reap() -> None:
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    while True:
        try:
            os.wait()
        except ChildProcessError:
            time.sleep(1)


if __name__ == "__main__":
    main(Paths.default(sys.argv[1]), Path(sys.argv[2]))
