# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, paths and addresses of a lab. Pure, except that it reads the environment."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

API_PORT = 5000
REGION = "us-west-2"
ACCOUNT = "111111111111"
REGISTRY = f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com"
OTHER_ACCOUNT = "222222222222"
PEOPLE = ("alice", "bob", "mallory")


class LabError(Exception):
    """An error that the user can fix; its text is the whole message."""


@dataclass(frozen=True)
class Paths:
    """Paths of a lab. All except the two files of `up` are in RAM and visible only inside."""

    repo: Path
    name: str = "default"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,31}", self.name):
            raise LabError(f"lab name {self.name!r}: use up to 32 of a-z, 0-9 and '-'")

    @classmethod
    def default(cls, name: str | None = None) -> Paths:
        """The lab of this work tree with name `name` or LAB_NAME."""
        return cls(Path(__file__).resolve().parents[2], name or os.environ.get("LAB_NAME") or "default")

    @property
    def inside(self) -> bool:
        """Whether this process runs in the lab's namespaces."""
        return self.inside_mark.exists()

    @property
    def state(self) -> Path:
        return self.repo / ".lab" / self.name

    @property
    def record(self) -> Path:
        """Written by `up` outside the namespaces: the supervisor's process."""
        return self.state / "lab.json"

    @property
    def log(self) -> Path:
        return self.state / "lab.log"

    @property
    def inside_mark(self) -> Path:
        """A file that exists only inside the lab."""
        return self.state / "inside"

    @property
    def hosts(self) -> Path:
        return self.state / "hosts"

    @property
    def disks(self) -> Path:
        return self.state / "disks"

    @property
    def clusters(self) -> Path:
        return self.state / "clusters"

    @property
    def filesystems(self) -> Path:
        return self.state / "fsx"

    @property
    def home(self) -> Path:
        return self.state / "home"

    @property
    def collections(self) -> Path:
        return self.state / "collections"

    @property
    def temporary(self) -> Path:
        """Not in the work tree: ansible-playbook has a socket in its temporary files, and the path of a socket has a limit."""
        return Path("/run/lab/tmp")

    @property
    def etc_hosts(self) -> Path:
        return self.state / "etc" / "hosts"

    @property
    def published(self) -> Path:
        """JSON file with names and addresses of the public DNS; `*.name` covers every name below it."""
        return self.etc_hosts.with_name("names.json")

    @property
    def rootfs(self) -> Path:
        """The image, bound read-only into the lab."""
        return self.state / "rootfs"

    @property
    def cgroup(self) -> str:
        """Name of the lab's control group: unique over all work trees of the machine."""
        return f"{self.name}-{short_hash(str(self.state))}"

    @property
    def tests(self) -> Path:
        """The folder that holds this package."""
        return self.repo / "tests"

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{API_PORT}"

    @property
    def venv_bin(self) -> Path:
        return Path(sys.executable).parent


def cache_folder() -> Path:
    """MLFLEET_HYPERPOD_CACHE, else ~/.cache/mlfleet-hyperpod."""
    return Path(os.environ.get("MLFLEET_HYPERPOD_CACHE") or "~/.cache/mlfleet-hyperpod").expanduser().resolve()


def short_hash(text: str, length: int = 8) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def veth_name(netns: str, device: str) -> str:
    """The bridge's end of a pair. Linux allows 15 characters and does not truncate, so names are hashed."""
    return f"v{short_hash(f'{netns}/{device}', 12)}"


def bridge_name(vpc_id: str) -> str:
    return f"b{short_hash(vpc_id, 12)}"


def router_address(cidr: str) -> str:
    """The address of a VPC's router: the first one, as in AWS."""
    return str(ipaddress.ip_network(cidr)[1])


def hosts_file(entries: dict[str, list[str]]) -> str:
    """Text of an /etc/hosts file for names and their addresses, in a stable order, without `*.name`, which it does not support."""
    lines = ["127.0.0.1 localhost", "::1 localhost ip6-localhost ip6-loopback"]
    lines += [f"{ip} {name}" for name in sorted(entries) if not name.startswith("*") for ip in entries[name]]
    return "\n".join(lines) + "\n"
