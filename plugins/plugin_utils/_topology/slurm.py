# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the nodes of a cluster with Slurm are, by what its controller has of HyperPod and of Slurm. A node wrote all of it. Pure.

HyperPod writes ``/opt/ml/config/resource_config.json`` on controllers. In it ``InstanceLabel`` has an instance's network nodes.
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
    """A compute node as HyperPod's API has it."""

    instance_id: str
    address: str
    instance_type: str
    instance_group: str
    zone: str = ""


def layers(config: str) -> dict[str, tuple[str, ...]]:
    """Network nodes from the top down, by instance ID; empty where the file can't be read."""
    try:
        document = json.loads(config)
    except ValueError:
        return {}
    groups = rows(document.get("InstanceGroups"), MOST_GROUPS) if isinstance(document, t.Mapping) else []
    instances = (each for group in groups for each in rows(group.get("Instances"), MOST))
    return {line(each.get("InstanceId")): _layers(each.get(LABELS)) for each in instances}


def places(machines: t.Iterable[Machine], config: Layers, states: t.Mapping[str, State]) -> list[Place]:
    """Of all machines.

    :param states: what Slurm says, by address.
    """
    return [_place(each, config.get(each.instance_id, ()), states.get(each.address, NOTHING)) for each in machines]


def _layers(labels: t.Any) -> tuple[str, ...]:
    """From layer 1 on, as far as each layer is told."""
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
    """Why it gets no jobs; empty where it does."""
    if not state.state:
        return f"Slurm has no node at {machine.address or 'its address, which HyperPod does not tell'}"
    if state.state not in OUT_OF_WORK:
        return ""
    return f"Slurm has it as {state.state}{state.reason and f' ({state.reason})'}"
