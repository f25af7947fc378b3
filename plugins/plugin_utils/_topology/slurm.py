# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The topology of a Slurm cluster's nodes, from HyperPod's and Slurm's files on the controller node. All data is untrusted.

HyperPod writes ``/opt/ml/config/resource_config.json`` on controller nodes. The field ``InstanceLabel`` has an instance's network
nodes.
"""

from __future__ import annotations

import itertools
import json
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import FREE, UNHEALTHY, USED, Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import NOTHING, OUT_OF_WORK, State
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import line, rows

LABELS, LAYER = "InstanceLabel", "network-node-layer-"
MOST_GROUPS, MOST = 1000, 10_000
Layers = t.Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Machine:
    """A compute node from HyperPod's API."""

    instance_id: str
    address: str
    instance_type: str
    instance_group: str
    zone: str = ""


def layers(config: str) -> dict[str, tuple[str, ...]]:
    """Network nodes from the top down, keyed by instance ID; empty if the file can't be read."""
    try:
        document = json.loads(config)
    except ValueError:
        return {}
    groups = rows(document.get("InstanceGroups"), MOST_GROUPS) if isinstance(document, t.Mapping) else []
    instances = (each for group in groups for each in rows(group.get("Instances"), MOST))
    return {line(each.get("InstanceId")): _layers(each.get(LABELS)) for each in instances}


def places(machines: t.Iterable[Machine], config: Layers, states: t.Mapping[str, State]) -> list[Place]:
    """The places of all compute nodes.

    :param states: Slurm's states of the nodes, keyed by address.
    """
    return [_place(each, config.get(each.instance_id, ()), states.get(each.address, NOTHING)) for each in machines]


def _layers(labels: t.Any) -> tuple[str, ...]:
    """The network nodes from layer 1 up to the first missing layer."""
    known = labels if isinstance(labels, t.Mapping) else {}
    found = (line(known.get(f"{LAYER}{number}")) for number in itertools.count(1))
    return tuple(itertools.takewhile(bool, found))


def _place(machine: Machine, above: tuple[str, ...], state: State) -> Place:
    why = _unhealthy(machine, state)
    return Place(
        name=f"ip-{machine.address.replace('.', '-')}" if machine.address else machine.instance_id,
        layers=above,
        instance_id=machine.instance_id,
        instance_type=machine.instance_type,
        instance_group=machine.instance_group,
        zone=machine.zone,
        state=UNHEALTHY if why else USED if state.jobs else FREE,
        why=why,
        jobs=state.jobs,
    )


def _unhealthy(machine: Machine, state: State) -> str:
    """Why the node gets no jobs; empty if it gets jobs."""
    if not state.state:
        missing = "HyperPod returned no address by which the node could be found in Slurm"
        return f"Slurm has no node at {machine.address}" if machine.address else missing
    if state.state not in OUT_OF_WORK:
        return ""
    return f"its state in Slurm is {state.state}{state.reason and f' ({state.reason})'}"
