# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options with which ssh connects to a node and verifies the node.

No option names a file that the inventory wrote. The home folder is expanded when ssh runs, because under AWX ssh runs in a
different container from the inventory.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node

DEFAULT_STATE_DIR = "~/.mlfleet/hyperpod"
SSH_TIMEOUT = 120
"""In seconds. Ansible's default of 10 seconds is too short for a session that must wait before it starts."""


@dataclass(frozen=True)
class Access:
    """Settings that all connections of an inventory source share."""

    user: str
    state_dir: str = DEFAULT_STATE_DIR
    private_key_file: str | None = None

    @classmethod
    def checked(cls, *, user: str, state_dir: str, private_key_file: str | None) -> Access:
        if not re.fullmatch(r"(~/|/)[A-Za-z0-9._/-]+", state_dir):
            refuse_option("state_dir", state_dir, "a path of letters, digits, '.', '_' and '-' below / or ~/")
        return cls(user=user, state_dir=state_dir.rstrip("/"), private_key_file=private_key_file)

    def path(self, name: str) -> str:
        """The path of a file in the state folder. ssh and shells expand the home folder in the path."""
        return re.sub(r"^~", "${HOME}", self.state_dir) + f"/{name}"


@dataclass(frozen=True)
class Link:
    """How ssh connects to a cluster: with which credentials, and over which jump node, if any."""

    cluster: Cluster
    profile: str | None
    connection: str
    jump: Node | None = None


def common_args(access: Access, link: Link, node: Node) -> str:
    """``ansible_ssh_common_args`` of a node."""
    return shlex.join(_options(access, link, node, _route(access, link, node)))


def _options(access: Access, link: Link, node: Node, route: list[str]) -> list[str]:
    values = [
        f"HostKeyAlias={node.host_key_alias(link.cluster)}",
        f"UserKnownHostsFile={access.path('known_hosts')}",
        "GlobalKnownHostsFile=/dev/null",
        "StrictHostKeyChecking=yes",
        "UpdateHostKeys=no",
        "ForwardAgent=no",
        "ForwardX11=no",
        "ServerAliveInterval=60",
        "ServerAliveCountMax=3",
        *route,
    ]
    if access.private_key_file:
        values.append("IdentitiesOnly=yes")
    return [word for value in values for word in ("-o", value)]


def _route(access: Access, link: Link, node: Node) -> list[str]:
    if link.connection == "direct":
        return [f"HostName={node.ip}"] if node.ip else []
    if link.connection == "jump" and link.jump is not None and node.ip:
        command = _jump_command(access, link, link.jump, node.ip)
        return [f"HostName={node.ip}", "ProxyCommand=" + _escaped(command)]
    return ["ProxyCommand=" + _escaped(_ssm_command(access, link, node))]


def _ssm_command(access: Access, link: Link, node: Node) -> str:
    """The command has the target instead of %h, because ssh converts %h to lower case. Names of groups may have upper case."""
    words = ["--target", node.ssm_target(link.cluster), "--region", link.cluster.region]
    words += ["--account", link.cluster.account]
    if link.profile:
        words += ["--profile", link.profile]
    return _wrapper(access, words)


def _jump_command(access: Access, link: Link, jump: Node, ip: str) -> str:
    """The command runs a separate ssh, because the inner ssh of ``-J`` ignores our known_hosts. All jumps share one connection."""
    route = ["ProxyCommand=" + _escaped(_ssm_command(access, link, jump))]
    options = _options(access, link, jump, route)
    options += ["-o", "BatchMode=yes", "-o", f"ConnectTimeout={SSH_TIMEOUT}", "-l", access.user]
    if access.private_key_file:
        options += ["-o", f"IdentityFile={access.private_key_file}"]
    return _wrapper(access, ["--jump", jump.host_key_alias(link.cluster), f"{ip}:22", *options])


def _wrapper(access: Access, words: list[str]) -> str:
    if access.state_dir != DEFAULT_STATE_DIR:
        words = ["--state-dir", access.state_dir, *words]
    return f'"{access.path("ssm-proxy")}" {shlex.join(words)}'


def _escaped(command: str) -> str:
    """The command with each % doubled, because ssh expands % in a ProxyCommand."""
    return command.replace("%", "%%")
