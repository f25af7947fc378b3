# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The readiness gates of login nodes as clients see them, and faults that close them."""

from __future__ import annotations

import contextlib
import json
import socket
import time
import typing as t

from harness import World

HEALTH, PEOPLE = 223, 222
MINUTE = 60
RECORD = "/var/lib/mlfleet-hyperpod/ready-watch.json"
KEY = "/etc/ssh/ssh_host_ed25519_key"
CONF = "/etc/ssh/sshd_config.d/99-broken.conf"
SYSCTL = "/proc/sys/net/ipv4/ip_unprivileged_port_start"

# The command that breaks a node, the command that repairs it, and the problem that the gate reports.
TAMPERED: dict[str, tuple[str, str, str]] = {
    "an account": ("sed -i.kept '/^bob:/d' /etc/passwd", "mv /etc/passwd.kept /etc/passwd", "user bob does not exist"),
    "a mount": ("umount -l /fsx", "", "/fsx is not mounted"),
    "a host key": (
        f"cp -p {KEY} {KEY}.kept && rm {KEY} && ssh-keygen -q -t ed25519 -N '' -f {KEY}",
        f"mv {KEY}.kept {KEY} && ssh-keygen -y -f {KEY} >{KEY}.pub",
        "sshd presents an ssh-ed25519 host key that differs from the expected one",
    ),
    "sshd": (f"echo 'Nonsense yes' >{CONF}", f"rm {CONF}", "sshd does not answer on this node"),
    "the kernel's ports": (
        f"cat {SYSCTL} >/run/kept-start && echo 80 >{SYSCTL}",
        f"cat /run/kept-start >{SYSCTL}",
        "any user may listen on port 223, because net.ipv4.ip_unprivileged_port_start is 80",
    ),
}


def answers(node: dict[str, t.Any], port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((node["ip"], port), timeout=3):
        return True
    return False


def expect(node: dict[str, t.Any], **ports: bool) -> None:
    found = {"health": answers(node, HEALTH), "people": answers(node, PEOPLE)}
    assert found == ports, (node["name"], found)


def sh(world: World, node: dict[str, t.Any], command: str) -> str:
    done = world.on_node(node["name"], "sh", "-c", command)
    assert done.returncode == 0, done.stdout
    return done.stdout


def as_people(world: World, node: dict[str, t.Any], *options: str) -> t.Any:
    return world.login("alice", "hostname", node["ip"], "-p", str(PEOPLE), "-o", f"HostKeyAlias={world.login_name}", *options)


def closed_and_opened(world: World, node: dict[str, t.Any], what: str, *others: dict[str, t.Any], stays: float = 0) -> None:
    """Break a node: its gate closes within a minute and stays closed, and the gates of ``others`` stay open. Repaired, it opens again."""
    break_command, repair_command, problem = TAMPERED[what]
    sh(world, node, break_command)
    try:
        world.eventually(lambda: expect(node, health=False, people=False), seconds=MINUTE)
        for other in others:
            expect(other, health=True, people=True)
        end = time.monotonic() + stays
        while time.monotonic() < end:
            expect(node, health=False, people=False)
            time.sleep(0.5)
    finally:
        sh(world, node, repair_command)
    world.eventually(lambda: expect(node, health=True, people=True), seconds=MINUTE)
    record = world.eventually(lambda: opened_again(world, node))
    assert any(sentence.startswith(problem) for sentence in record["problems"]), record
    assert as_people(world, node).stdout.strip() == node["name"]


def opened_again(world: World, node: dict[str, t.Any]) -> dict[str, t.Any]:
    """The record of the node, which it writes after its ports are open."""
    record: dict[str, t.Any] = json.loads(sh(world, node, f"cat {RECORD}"))
    assert record["opened"] is not None and record["opened"] >= record["closed"], record
    return record
