# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the capacity for the nodes of a group exists, and whether EKS can change an existing group. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed

from .declared import SYSTEM, Group
from .observed import Resource
from .plan import nodes_of

SCHEDULED = "scheduled"
OTHER_GROUP = "no change, or a group with another name and this one in training_cluster_remove_groups"
OTHER_SYSTEM = f"no change, or first a run with training_cluster_system={{}} and {SYSTEM} in training_cluster_remove_groups"


@dataclass(frozen=True)
class Planned:
    """A group with the values that were read for the plan."""

    group: Group
    option: str
    """The path of the group in the variables."""
    template: t.Mapping[str, t.Any]
    """The planned launch template, as ``efa_launch_template`` returns it."""
    zone: str
    """The zone of its nodes; empty if it is not known."""
    subnet: str
    """The subnet of its nodes; empty before its creation."""
    ami_type: str
    there: Resource | None = None
    """The group, if it exists and works."""

    @property
    def capacity_type(self) -> str:
        return "SPOT" if self.group.spot else str(self.template["capacity_type"])


def problems(planned: Planned) -> t.Iterator[str]:
    group, template = planned.group, planned.template
    if group.placement_group and not template["placement_group_state"]:
        allowed, why = "an available placement group with strategy cluster", "EC2 does not have it in this Region"
        yield not_allowed(f"{planned.option}.placement_group", group.placement_group, allowed, why)
    if template["capacity_reservation"]:
        yield from _of_reservation(planned, template["capacity_reservation"])
    if planned.there is not None:
        yield from _fixed(planned, planned.there["details"])


def _of_reservation(planned: Planned, reservation: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    group, now = planned.group, nodes_of(planned.there)
    option, zone = f"{planned.option}.capacity_reservation_id", str(reservation["availability_zone"])
    if planned.zone and zone and zone != planned.zone:
        allowed = f"a reservation in {planned.zone}, or nodes in {zone} (training_cluster_zone, or a subnet there)"
        yield not_allowed(option, group.reservation, allowed, f"its capacity is in {zone}, and the nodes are in {planned.zone}")
    count, total, free = group.count(now), reservation["total_instance_count"], reservation["available_instance_count"]
    added = count - (now or 0)
    if added <= 0:
        return
    if reservation["state"] == SCHEDULED:
        start = reservation["start"] or "an unknown time"
        yield not_allowed(f"{planned.option}.nodes", count, "0 until then", f"reservation {group.reservation} starts at {start}")
    elif total is not None and count > total:
        yield not_allowed(f"{planned.option}.nodes", count, f"at most {total}", f"{group.reservation} reserves {total} instances")
    elif free is not None and added > free:
        why = f"{group.reservation} has capacity for {free} more instances"
        yield not_allowed(f"{planned.option}.nodes", count, f"at most {(now or 0) + free}", why)


def _fixed(planned: Planned, details: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    """Settings that EKS cannot change. Empty values are not known."""
    subnets, market = ", ".join(details.get("subnet_ids") or ()), "spot" if planned.group.spot else "capacity_reservation_id"
    for field, name, have, want in (
        (market, "capacity type", details.get("capacity_type"), planned.capacity_type),
        ("instance_type", "AMI type", details.get("ami_type"), planned.ami_type),
        ("subnet_id", "subnet", subnets, planned.subnet),
    ):
        if have and want and have != want:
            why = f"EKS cannot change the {name} of node group {planned.group.name} from {have} to {want}"
            allowed = OTHER_SYSTEM if planned.group.name == SYSTEM else OTHER_GROUP
            yield not_allowed(f"{planned.option}.{field}", want, allowed, why)
