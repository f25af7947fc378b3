# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads how the node's own unit runs sshd, so that our unit can run sshd in the same way for one connection.

Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import re

from ..._core.text import lines_of
from ..files import read_bytes
from ..sshd.service import SERVICES
from ..system import run

_LIMITS = ("LimitCORE", "LimitMEMLOCK", "LimitNOFILE", "LimitNPROC", "LimitSTACK")
_SHOWN = ("LoadState", "ExecStart", "Environment", "EnvironmentFiles", *_LIMITS, *(f"{limit}Soft" for limit in _LIMITS))
_CONNECTIONS_PER_GIB = 128
"""Connections per GiB of memory. A connection without a login uses about 2 MB (OpenSSH 10), so they use a quarter of the memory."""


def lines() -> list[str]:
    """Lines for the section [Service]: the program with its options, its environment and its limits."""
    for unit in SERVICES:
        shown = run(["systemctl", "show", f"--property={','.join(_SHOWN)}", unit], check=False).stdout
        found = parse(shown)
        if found:
            return found
    return ["ExecStart=-/usr/sbin/sshd -i"]


def parse(shown: str) -> list[str]:
    """The lines for [Service], from the output of ``systemctl show``; empty if the unit does not exist."""
    values = [line.partition("=")[::2] for line in lines_of(shown)]
    properties = dict(values)
    start = re.search(r"argv\[\]=(\S+) ?(.*?) ; ", properties.get("ExecStart", ""))
    if properties.get("LoadState") != "loaded" or start is None:
        return []
    files = [value.partition(" (") for name, value in values if name == "EnvironmentFiles" and value]
    options = [word for word in start[2].split() if word != "-D"]
    limits = [(limit, properties.get(f"{limit}Soft"), properties.get(limit)) for limit in _LIMITS]
    variables = properties.get("Environment", "").replace("%", "%%")
    return [
        *([f"Environment={variables}"] if variables else []),
        *(f"EnvironmentFile={'-' if 'ignore_errors=yes' in rest else ''}{path}" for path, _bracket, rest in files),
        f"ExecStart=-{' '.join([start[1], '-i', *options])}",
        *(f"{limit}={soft}:{hard}" for limit, soft, hard in limits if soft and hard),
    ]


def connections(meminfo: bytes | None = None) -> int:
    """Maximum number of open connections."""
    text = (meminfo or read_bytes("/proc/meminfo") or b"").decode("ascii", "replace")
    found = re.search(r"^MemTotal:\s+(\d+) kB", text, re.MULTILINE)
    gib = round(int(found[1]) / 2**20) if found else 0
    return max(2, min(gib, 32)) * _CONNECTIONS_PER_GIB
