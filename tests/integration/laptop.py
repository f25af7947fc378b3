"""A person's laptop in tests: commands, files, a tunnel, and SSH with the files that the person received."""

from __future__ import annotations

import shutil
import subprocess
import time
import typing as t
from pathlib import Path

from lab.hosts.laptop import Laptop as Machine
from lab.names import Paths

CONNECT_SECONDS = 20
CONNECTED = "Initialization Sequence Completed"


class Laptop:
    """Started by its first command, removed by ``World.reset``. Everything runs as its owner, who is root there."""

    def __init__(self, paths: Paths, person: str) -> None:
        self.person = person
        self.machine = Machine(paths, person)
        self.home = self.machine.root / "root"

    def run(self, *argv: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Run a command; output as text, exit status not checked."""
        return subprocess.run(
            self.machine.argv(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            check=False,
        )

    def put(self, source: Path, name: str | None = None) -> str:
        """Copy a file into the home folder, for its owner alone; returns its path there."""
        self.machine.up()
        target = self.home / (name or source.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o600)
        return f"/root/{target.relative_to(self.home)}"

    # -- the tunnel ---------------------------------------------------------------------------------------------------

    def start_vpn(self, profile: Path) -> None:
        """Start openvpn in the background with an unchanged profile."""
        path = self.put(profile)
        options = ("--config", path, "--daemon", "--log", "/root/vpn.log", "--writepid", "/root/vpn.pid")
        done = self.run("openvpn", *options)
        assert done.returncode == 0, done.stdout

    def connect(self, profile: Path) -> None:
        """Start openvpn and wait until the tunnel is up."""
        self.start_vpn(profile)
        self.wait_connected()

    def wait_connected(self, times: int = 1, *, seconds: float = CONNECT_SECONDS) -> None:
        """Wait until the tunnel was built that many times since ``start_vpn``."""
        self._until(lambda: self.connections >= times, f"no tunnel number {times}", seconds)

    @property
    def connections(self) -> int:
        """How often the tunnel was built since ``start_vpn``: a reset adds one."""
        return self.vpn_log.count(CONNECTED)

    @property
    def vpn_log(self) -> str:
        log = self.home / "vpn.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def disconnect(self) -> None:
        """End openvpn and wait until it is gone."""
        self.run("sh", "-c", "kill $(cat /root/vpn.pid); while kill -0 $(cat /root/vpn.pid) 2>&-; do sleep 0.05; done")

    # -- traffic inside and outside the tunnel -------------------------------------------------------------------------

    def reaches(self, host: str, port: int = 22, *, seconds: float = 3) -> bool:
        """Whether a TCP connection can be made."""
        script = f"import socket; socket.create_connection(({host!r}, {port}), {seconds})"
        return self.run("python3", "-c", script).returncode == 0

    def seen_from(self, site: str = "203.0.113.80") -> str:
        """The address of this laptop as a site on the internet sees it; empty if the site cannot be reached."""
        script = f"import urllib.request; print(urllib.request.urlopen('http://{site}', timeout=3).read().decode())"
        done = self.run("python3", "-c", script)
        return done.stdout.strip() if done.returncode == 0 else ""

    def ssh(self, host: str, command: str, known_hosts: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """SSH as the person: own key, strict host key checking, the known_hosts file for people."""
        settings = {
            "IdentitiesOnly": "yes",
            "IdentityFile": "/root/.ssh/id_ed25519",
            "BatchMode": "yes",
            "StrictHostKeyChecking": "yes",
            "UserKnownHostsFile": self.put(known_hosts, ".ssh/known_hosts"),
            "ConnectTimeout": "10",
        }
        flat = [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]
        return self.run("ssh", "-F", "none", *flat, *options, f"{self.person}@{host}", command)

    def _until(self, holds: t.Callable[[], bool], problem: str, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, f"{self.person}: {problem} after {seconds} s\n{self.vpn_log}"
            time.sleep(0.1)
