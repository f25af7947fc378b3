# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that a plan of the module ``cluster`` adds, for quotas and prices."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass

Change = t.Mapping[str, t.Any]
Group = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Nodes:
    instance_type: str
    count: int
    spot: bool = False


@dataclass(frozen=True)
class Planned:
    """The added nodes, and the resulting size of the cluster."""

    nodes: tuple[Nodes, ...] = ()
    cluster_nodes: int = 0
    volume_size_in_gb: int = 0

    def by_type(self) -> dict[str, int]:
        """Numbers of added nodes, keyed by instance type."""
        counts: collections.Counter[str] = collections.Counter()
        for each in self.nodes:
            counts[each.instance_type] += each.count
        return dict(counts)


def planned(changes: t.Sequence[Change], definition: t.Mapping[str, t.Any]) -> Planned:
    """
    :param changes: the planned changes of the module.
    :param definition: the definition after the changes.
    """
    groups = {group["name"]: group for group in _groups(definition)}
    grown = {**_created(changes, groups), **_scaled(changes, groups)}
    nodes = tuple(
        Nodes(instance_type, count, "spot" in (groups[name].get("capacity_requirements") or {}))
        for name, count in grown.items()
        for instance_type in _types(groups[name])
        if count > 0
    )
    if not nodes:
        return Planned()
    return Planned(nodes, sum(group.get("instance_count", 0) for group in groups.values()), max(map(_volume, groups.values())))


def _groups(definition: t.Mapping[str, t.Any]) -> list[Group]:
    return [*(definition.get("instance_groups") or ()), *(definition.get("restricted_instance_groups") or ())]


def _created(changes: t.Sequence[Change], groups: t.Mapping[str, Group]) -> dict[str, int]:
    """The number of nodes of each group that the plan creates, or of all groups if the plan creates the cluster."""
    made = [change["resource"] for change in changes if change["action"] == "create"]
    whole = any(" group " not in resource for resource in made)
    names = {resource.rpartition(" group ")[2] for resource in made}
    return {name: group.get("instance_count", 0) for name, group in groups.items() if whole or name in names}


def _scaled(changes: t.Sequence[Change], groups: t.Mapping[str, Group]) -> dict[str, int]:
    found = {}
    for change in changes:
        name = change["resource"].rpartition(" group ")[2]
        if change["action"] == "update" and change.get("field") == "instance_count" and name in groups:
            found[name] = (change["after"] or 0) - (change["before"] or 0)
    return found


def _types(group: Group) -> list[str]:
    """The type of a group's nodes. If there are several types, only the first one, which AWS tries first."""
    several = (group.get("instance_requirements") or {}).get("instance_types") or []
    return [group["instance_type"]] if group.get("instance_type") else several[:1]


def _volume(group: Group) -> int:
    volumes = (each.get("ebs_volume_config") or {} for each in group.get("instance_storage_configs") or ())
    return max((volume.get("volume_size_in_gb") or 0 for volume in volumes), default=0)
