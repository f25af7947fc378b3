# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of nodes in Kubernetes and the results of the Jobs on them, from ``accelerator_jobs``. All texts are untrusted."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..untrusted import Row, entries, line, rows

MOST, MOST_NODES = 50, 10_000
LABELS = ("health_status", "deep_health_check", "fault_types", "fault_reasons", "node_pool")
OF_CONDITION = ("type", "status", "reason", "message")
Known = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class State:
    """The state of a node, and the result of the Job on it."""

    known: Known = field(default_factory=dict)
    """The state for the report; empty if Kubernetes does not have the node."""
    pods: tuple[str, ...] = ()
    """The Pods that request the node's accelerators."""
    health: t.Any = None
    """The Job's result, as the node returned it."""
    why: str = ""
    """Why the Job returned no result."""


NOTHING = State()


def states(value: t.Any) -> dict[str, State]:
    """The states, keyed by instance ID."""
    answer = value if isinstance(value, t.Mapping) else {}
    return {line(row.get("instance_id")): _state(row) for row in rows(answer.get("nodes"), MOST_NODES)}


def _state(row: Row) -> State:
    found, health, why = row.get("kubernetes"), row.get("health"), line(row.get("why"))
    if not isinstance(found, t.Mapping):
        return State(health=health, why=why)
    return State(_known(found), tuple(map(line, entries(found.get("pods"), MOST))), health, why)


def _known(node: Row) -> Known:
    return {
        "node": line(node.get("name")),
        **{name: line(node.get(name)) for name in LABELS},
        "unschedulable": node.get("unschedulable") is True,
        "taints": [line(each) for each in entries(node.get("taints"), MOST)],
        "conditions": [{name: line(each.get(name)) for name in OF_CONDITION} for each in rows(node.get("conditions"), MOST)],
    }


def lines(known: Known) -> list[str]:
    """The lines of the report about a node; empty if Kubernetes does not have the node."""
    if not known:
        return []
    labels = [f"{name.replace('_', ' ')} {known[name]}" for name in LABELS if known[name]]
    states = [*labels, *(["cordoned"] if known["unschedulable"] else [])]
    conditions = [f"{each['type']} {each['status']} ({each['reason']}: {each['message']})" for each in known["conditions"]]
    return [" · ".join([known["node"], *states]), *(f"taint {each}" for each in known["taints"]), *conditions]
