# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The files of the readiness gate: units, check, watcher and expectations. Standard library only, Python 3.9 syntax.

Neither socket is enabled, so that after a boot nothing listens until the watcher has verified the node.
"""

from __future__ import annotations

import inspect
import json
import typing as t

from . import check as gate_check, watch as gate_watch
from .model import Desired

SOCKET = gate_watch.SOCKET
PEOPLE_SOCKET = gate_watch.PEOPLE_SOCKET
TIMER = "mlfleet-login-watch.timer"
WATCH_SERVICE = "mlfleet-login-watch.service"
FORMER_BOOT_SERVICE = "mlfleet-login-ready-boot.service"
"""A unit of earlier releases, which opened the gate after a boot. It is only removed."""
STATE_FOLDER = "/var/lib/mlfleet-hyperpod"
_UNIT_FOLDER = "/etc/systemd/system"
PATHS = {
    "config": gate_check.CONFIG,
    "check": gate_watch.CHECK,
    "watch": f"{STATE_FOLDER}/ready-watch",
    "socket": f"{_UNIT_FOLDER}/{SOCKET}",
    "service": f"{_UNIT_FOLDER}/mlfleet-login-ready@.service",
    "people socket": f"{_UNIT_FOLDER}/{PEOPLE_SOCKET.format('')}",
    "people service": f"{_UNIT_FOLDER}/mlfleet-login-people@.service",
    "timer": f"{_UNIT_FOLDER}/{TIMER}",
    "watch service": f"{_UNIT_FOLDER}/{WATCH_SERVICE}",
    "boot": f"{_UNIT_FOLDER}/{FORMER_BOOT_SERVICE}",
}
MODES = {"config": 0o600, "check": 0o700, "watch": 0o700}
SCRIPTS = ("check", "watch")
_HEADER = "# Written by the Ansible collection mlfleet.hyperpod."


def rendered(desired: Desired, *, python: str, serving: t.Sequence[str], connections: int) -> dict[str, str]:
    """The texts of all files, keyed by name.

    :param serving: the lines that run the node's sshd for one connection.
    :param connections: the maximum number of open connections.
    """
    return {
        "config": config({**desired.expected, "instance": desired.instance}),
        "check": inspect.getsource(gate_check),
        "watch": inspect.getsource(gate_watch),
        "socket": _socket_unit(desired),
        "service": _service_unit(desired),
        "people socket": _people_socket_unit(connections),
        "people service": _people_service_unit(serving),
        "timer": _TIMER_UNIT,
        "watch service": _watch_unit(python),
    }


def config(expected: t.Mapping[str, t.Any]) -> str:
    return json.dumps(expected, indent=1, sort_keys=True) + "\n"


def _socket_unit(desired: Desired) -> str:
    # Without TriggerLimitIntervalSec=0, a port scan would make systemd close the gate permanently.
    listen = "\n".join(f"ListenStream={port}" for port in desired.ports)
    return f"""\
{_HEADER}
[Unit]
Description=Readiness gate of this login node, asked by the load balancer

[Socket]
{listen}
Accept=yes
MaxConnections=256
TriggerLimitIntervalSec=0
"""


def _service_unit(desired: Desired) -> str:
    answer = f"ready {desired.instance}".strip()
    return f"""\
{_HEADER}
[Unit]
Description=Answer of the readiness gate
CollectMode=inactive-or-failed

[Service]
Type=oneshot
ExecStart=-/bin/echo {answer}
User=nobody
StandardInput=null
StandardOutput=socket
StandardError=null
LogLevelMax=warning
"""


def _people_socket_unit(connections: int) -> str:
    return f"""\
{_HEADER}
[Unit]
Description=Port %i, where people log in while this login node is verified

[Socket]
ListenStream=%i
Accept=yes
MaxConnections={connections}
TriggerLimitIntervalSec=0
"""


def _people_service_unit(serving: t.Sequence[str]) -> str:
    # Each connection reads sshd's files again, so nothing needs a reload. The first logout must not remove /run/sshd, which the
    # sshd on port 22 also needs, and must not end processes that users left running.
    lines = "\n".join(serving)
    return f"""\
{_HEADER}
[Unit]
Description=Login of a person
CollectMode=inactive-or-failed

[Service]
{lines}
StandardInput=socket
StandardOutput=socket
StandardError=journal
KillMode=process
RuntimeDirectory=sshd
RuntimeDirectoryMode=0755
RuntimeDirectoryPreserve=yes
"""


_TIMER_UNIT = f"""\
{_HEADER}
[Unit]
Description=Watch the readiness gate of this login node

[Timer]
OnBootSec=5s
OnUnitActiveSec=30s
AccuracySec=1s
Unit={WATCH_SERVICE}

[Install]
WantedBy=timers.target
"""


def _watch_unit(python: str) -> str:
    # KillMode=process: a child that waits for a dead file system cannot be killed, and systemd would start no check before it ends.
    # Not the idle I/O class: if users keep the disk busy, a check would get no I/O, and a check that hangs counts as failed.
    return f"""\
{_HEADER}
[Unit]
Description=Verify this login node, and close or open its readiness gate
After=network-online.target remote-fs.target ssh.service sshd.service

[Service]
Type=oneshot
ExecStart={python} -I {PATHS["watch"]}
KillMode=process
TimeoutStartSec=300
Nice=10
IOSchedulingPriority=7
LogLevelMax=notice
"""
