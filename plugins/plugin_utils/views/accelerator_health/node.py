# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The health check of a node over SSH."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import load
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import settling
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import node_limit, slurm_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import held
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from . import seen


@dataclass(frozen=True)
class Node:
    """The current host."""

    has_accelerators: bool
    """Whether the node has accelerators. Also true if EC2 does not know the instance type."""
    instance_type: str
    instance_id: str
    expected: dict[str, int | None]
    """The number of each kind of device; None if EC2 does not know the instance type."""
    slurm_addresses: list[str]
    """Addresses of all nodes of the cluster, on a controller node; empty on other nodes."""
    look: str
    at_work: bool
    """Whether Slurm runs jobs on the node. False if Slurm could not be queried."""
    dcgm_held: str
    """Why DCGM must not put load on the node now; empty if it may."""
    looks_again: int
    """Maximum repetitions of the check while a node settles after its boot. 0 if the node has settled."""
    seconds_between: int
    longest: int
    """The time limit of one check in seconds, because the node may never answer."""


SECONDS_BETWEEN = 20


@view
def node(variables: Variables) -> Node:
    own = fleet.cluster_host(variables["group_names"], variables["groups"])
    expected = seen.expected(variables["hostvars"][own], str(variables["hyperpod_instance_type"]))
    status, state = _states(variables)
    level = int(variables.get("accelerator_health_dcgm_level", 1))
    return Node(
        has_accelerators=seen.has_accelerators(expected),
        instance_type=str(variables["hyperpod_instance_type"]),
        instance_id=str(variables["hyperpod_instance_id"]),
        expected=expected,
        slurm_addresses=_addresses(variables, own),
        look=str(variables["hostvars"][own].get(seen.LOOK) or ""),
        at_work=bool(state and state.jobs),
        dcgm_held=held.from_a_long_test(status, state) if level > 1 else "",
        looks_again=-(-_settles_in(variables, own) // SECONDS_BETWEEN),
        seconds_between=SECONDS_BETWEEN,
        longest=node_limit.with_wait(load.SECONDS.get(level, 0)),
    )


def _settles_in(variables: Variables, own: str) -> int:
    """Seconds until the node has settled after its boot, from the node's result in this check."""
    health = seen.now(variables, seen.SEEN, variables["hostvars"][own])
    return settling.settles_in(health, variables.get("accelerator_health_profile"))


def _states(variables: Variables) -> tuple[str, slurm_states.State | None]:
    """The node's state in HyperPod, and its state in Slurm, or None if no controller node returned states in this check."""
    own = seen.of_cluster(variables)
    iid, slurm = variables["hyperpod_instance_id"], seen.slurm(own)
    listed: Variables = next((each for each in plain(own.get(seen.NODES) or ()) if each["instance_id"] == iid), {})
    state = slurm.get(str(listed.get("ip")), slurm_states.NOTHING) if slurm is not None else None
    return str(listed.get("status")), state


def _addresses(variables: Variables, own: str) -> list[str]:
    groups = variables["groups"]
    if variables["inventory_hostname"] not in groups.get(fleet.CONTROLLERS, ()):
        return []
    return [each["ip"] for each in plain(variables["hostvars"][own].get(seen.NODES) or ()) if each["ip"]]
