# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How repairs are requested: through the API, or through reasons and labels that HyperPod acts on."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.model import API, ORCHESTRATOR
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import OF_HEALTH, OURS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import State

OPTION = "remediation_route"
PURPOSE = "repair: "
"""The prefix of a repair's reason in Slurm. Repairs resume only nodes whose reason has this prefix."""
NO_RECOVERY = "None"
"""The value of NodeRecovery with which HyperPod ignores reasons and labels."""
Variables = t.Mapping[str, t.Any]


def problems(variables: Variables) -> list[str]:
    given = variables[OPTION]
    return [] if given in (API, ORCHESTRATOR) else [not_allowed(OPTION, given, f"{API}, {ORCHESTRATOR}")]


def by_orchestrator(variables: Variables) -> bool:
    return bool(variables[OPTION] == ORCHESTRATOR)


def not_supported(variables: Variables) -> list[str]:
    """Why HyperPod would ignore the requests, according to the cluster's settings."""
    if not by_orchestrator(variables) or plain(variables["hyperpod_run"]["cluster"])["node_recovery"] != NO_RECOVERY:
        return []
    return [not_allowed(OPTION, ORCHESTRATOR, API, "the cluster's NodeRecovery is None, so HyperPod ignores reasons and labels")]


def foreign(reason: str) -> str:
    """Why the reason in Slurm must not be overwritten; empty if it may."""
    if not reason or reason.startswith((OURS + PURPOSE, OF_HEALTH)):
        return ""
    return f"The node's reason in Slurm ({reason}) was not set by a repair, and a request to HyperPod would overwrite it."


def not_requestable(variables: Variables, state: State) -> str:
    """Why the repair of a drained node can't be requested in Slurm."""
    return foreign(state.reason) if by_orchestrator(variables) else ""


class Controller(t.NamedTuple):
    in_slurm: bool
    host: str
    python: str


def controller(variables: Variables) -> Controller:
    """The host on which Slurm is queried for a cluster: its controller node, or the cluster's own host if it has none."""
    hostvars, groups = variables["hostvars"], variables["groups"]
    members = groups[variables["hyperpod_cluster_group"]]
    host = next((host for host in groups.get(fleet.CONTROLLERS, ()) if host in members), "")
    python = hostvars[host].get("ansible_python_interpreter", "auto") if host else "auto"
    return Controller(bool(host), host or variables["inventory_hostname"], python)
