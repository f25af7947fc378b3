# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How HyperPod is asked for repairs: by its API, or by words on which it acts. Pure: variables in, words and rows out."""

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
"""Begins the reason in Slurm: what a repair took out of work, a repair puts back."""
NO_RECOVERY = "None"
"""HyperPod acts on no words then."""
Variables = t.Mapping[str, t.Any]


def problems(variables: Variables) -> list[str]:
    given = variables[OPTION]
    return [] if given in (API, ORCHESTRATOR) else [not_allowed(OPTION, given, f"{API}, {ORCHESTRATOR}")]


def by_words(variables: Variables) -> bool:
    return bool(variables[OPTION] == ORCHESTRATOR)


def unheard(variables: Variables) -> list[str]:
    """Why HyperPod would not act, once the cluster was read."""
    if not by_words(variables) or plain(variables["hyperpod_run"]["cluster"])["node_recovery"] != NO_RECOVERY:
        return []
    return [not_allowed(OPTION, ORCHESTRATOR, API, "the cluster's NodeRecovery is None, so HyperPod acts on no words")]


def theirs(reason: str) -> str:
    """Why the words can't take the place of a reason; empty if they can."""
    if not reason or reason.startswith((OURS + PURPOSE, OF_HEALTH)):
        return ""
    return f"Slurm's reason is somebody else's ({reason}), and HyperPod would be asked by another one."


def unaskable(variables: Variables, state: State) -> str:
    """Why a node that was drained can't be asked for in Slurm."""
    return theirs(state.reason) if by_words(variables) else ""


class Controller(t.NamedTuple):
    in_slurm: bool
    host: str
    python: str


def controller(variables: Variables) -> Controller:
    """On which Slurm is asked, on the host of a cluster: that host itself where it has none."""
    hostvars, groups = variables["hostvars"], variables["groups"]
    members = groups[variables["hyperpod_cluster_group"]]
    host = next((host for host in groups.get(fleet.CONTROLLERS, ()) if host in members), "")
    python = hostvars[host].get("ansible_python_interpreter", "auto") if host else "auto"
    return Controller(bool(host), host or variables["inventory_hostname"], python)
