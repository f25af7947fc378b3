# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rolling update: one login node of a cluster at a time, of several clusters in parallel."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told_findings import Findings, told

from .. import Variables

TURN = "__login_nodes_turn"
"""The fact of a node."""


@dataclass(frozen=True)
class Turns:
    own: int
    all: list[int]
    """Those that nodes of the play have."""
    refusals: Findings
    """While a login node of this cluster that had its turn has failed."""


def turns(variables: Variables) -> Turns:
    mates, playing = _mates(variables), variables["ansible_play_hosts"]
    last = max(_turns(variables, playing).values(), default=-1)
    failed = [host for host in _turns(variables, mates) if host not in playing]
    nodes = [variables["hostvars"][host]["hyperpod_instance_id"] for host in failed]
    refusals = told("mates-failed", nodes=nodes) if nodes else []
    return Turns(mates.index(variables["inventory_hostname"]), list(range(last + 1)), refusals)


@dataclass(frozen=True)
class Turn:
    """The turn ``login_nodes_now``."""

    nodes: str
    """One of each cluster."""


def turn(variables: Variables) -> Turn:
    found = _turns(variables, variables["ansible_play_hosts"])
    now = [host for host, own in found.items() if own == variables["login_nodes_now"]]
    return Turn(", ".join(variables["hostvars"][host]["hyperpod_instance_id"] for host in now))


def _mates(variables: Variables) -> list[str]:
    """Login nodes of the cluster, also those that have failed."""
    groups = variables["groups"]
    kept = {*groups[variables["hyperpod_cluster_group"]]} & {*variables["ansible_play_hosts_all"]}
    return sorted(host for host in groups[fleet.LOGIN_NODES] if host in kept)


def _turns(variables: Variables, hosts: t.Iterable[str]) -> dict[str, int]:
    found = {host: variables["hostvars"][host].get(TURN) for host in hosts}
    return {host: turn for host, turn in found.items() if turn is not None}
