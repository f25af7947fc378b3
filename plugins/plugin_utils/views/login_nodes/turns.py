# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rolling update. In each cluster it changes one login node at a time, and it changes several clusters in parallel."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import faults, fleet

from .. import Variables, view

TURN = "__login_nodes_turn"
"""The name of the fact with a node's turn."""


@dataclass(frozen=True)
class Turns:
    own: int
    all: list[int]
    """The numbers of all turns of the rolling update, ascending. In one turn, each cluster changes at most one login node."""
    first: bool
    """Whether no login node of this cluster has been configured yet."""
    stopped: Findings
    """The finding if the node gets no turn, because several login nodes of this cluster failed in their turns."""
    ready: bool
    """Whether the node was ready before its turn. It counts as not ready if it gets no turn."""


@view
def turns(variables: Variables) -> Turns:
    mates, playing = _mates(variables), variables["ansible_play_hosts"]
    last = max(_turns(variables, playing).values(), default=-1)
    had = [variables["hostvars"][host] for host in _turns(variables, mates)]
    failed = [node["hyperpod_instance_id"] for node in had if _says(node, "failed")]
    done = [node for node in had if _says(node, "configured")]
    wrong = faults.change_is_wrong(failed=len(failed), done=len(done))
    stopped = finding("mates-failed", nodes=failed) if wrong else []
    ready = not wrong and bool((variables.get("hyperpod_run") or {}).get("ready", False))
    return Turns(mates.index(variables["inventory_hostname"]), list(range(last + 1)), not done, stopped, ready)


@view
def turn(variables: Variables) -> str:
    """Instance IDs of the login nodes that have the turn ``login_nodes_now``, one in each cluster."""
    found = _turns(variables, variables["ansible_play_hosts"])
    now = [host for host, own in found.items() if own == variables["login_nodes_now"]]
    return ", ".join(variables["hostvars"][host]["hyperpod_instance_id"] for host in now)


def _mates(variables: Variables) -> list[str]:
    """The login nodes of the cluster in the play, including those that have failed."""
    groups = variables["groups"]
    kept = {*groups[variables["hyperpod_cluster_group"]]} & {*variables["ansible_play_hosts_all"]}
    return sorted(host for host in groups[fleet.LOGIN_NODES] if host in kept)


def _says(node: t.Mapping[str, t.Any], field: str) -> bool:
    return bool((node.get("hyperpod_run") or {}).get(field, False))


def _turns(variables: Variables, hosts: t.Iterable[str]) -> dict[str, int]:
    found = {host: variables["hostvars"][host].get(TURN) for host in hosts}
    return {host: turn for host, turn in found.items() if turn is not None}
