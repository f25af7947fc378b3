# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads Slurm nodes by their addresses, and the jobs on them, with Slurm's commands. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from ...._core.text import lines_of, printable
from ...system import run
from .held import with_holders
from .model import QUERY, Desired, Job, SlurmNode, State
from .names import expanded

_NODES = ("sinfo", "--Node", "--noheader", "--format=%N|%o|%T|%E")
_RUNNING = "running,completing,configuring,suspended,stopped,stage_out,signaling,resizing"
SIGNS = "*~#!%$@^-+"
"""Signs after a state, for example for a node that does not respond, is powered down or is in a reservation."""


def observe(desired: Desired) -> State:
    """:raises CommandFailed: if Slurm does not respond."""
    listed = listed_nodes()
    found = {address: node for address in desired.addresses for node in listed if is_at(node, address)}
    nodes = tuple(sorted(set(found.values()), key=lambda node: node.name))
    unknown = tuple(address for address in desired.addresses if address not in found)
    jobs = jobs_on([node.name for node in nodes])
    return State(with_holders(nodes) if desired.state == QUERY else nodes, jobs, unknown)


def listed_nodes() -> list[SlurmNode]:
    """All Slurm nodes of the cluster."""
    return parse_nodes(run(_NODES, timeout=60).stdout)


def is_at(node: SlurmNode, address: str) -> bool:
    """Whether the node has the address. HyperPod names Slurm nodes after their addresses; sinfo may print a name as the address."""
    return node.address == address or node.name == "ip-" + address.replace(".", "-")


def parse_nodes(text: str) -> list[SlurmNode]:
    """Parses lines NAME|ADDRESS|STATE|REASON, one for each partition of a node."""
    found = {}
    for line in lines_of(text):
        fields = line.strip().split("|", 3)
        if len(fields) == 4:
            name, address, state, reason = (printable(field) for field in fields)
            found[name] = SlurmNode(name, address, state.rstrip(SIGNS), "" if reason == "none" else reason)
    return list(found.values())


def parse_jobs(text: str) -> tuple[Job, ...]:
    """Parses lines ID|USER|STATE|NODES."""
    rows = (line.strip().split("|") for line in lines_of(text))
    complete = ([printable(field) for field in row] for row in rows if len(row) == 4)
    return tuple(Job(number, user, state, expanded(nodes)) for number, user, state, nodes in complete)


def jobs_on(names: t.Sequence[str]) -> tuple[Job, ...]:
    if not names:
        return ()
    asked = ("squeue", "--noheader", f"--nodelist={','.join(names)}", f"--states={_RUNNING}", "--format=%i|%u|%T|%N")
    return parse_jobs(run(asked, timeout=60).stdout)
