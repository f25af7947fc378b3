# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans one call for the groups whose software differs. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.plan import Change, Plan, Step
from ..._core.settings import request
from ..model import require_group
from ..statuses import IMAGE_VERSION, UP_TO_DATE
from .model import TABLE, Desired, NodeSoftware, Software, State

NEWEST = "the newest"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for groups that do not exist, EKS settings on a cluster with Slurm, and a cluster that is not InService."""
    cluster = state.cluster
    for name in desired.versions:
        require_group(cluster, name, option="instance_groups")
    if desired.deployment and cluster.orchestrator == "slurm":
        given = desired.deployment["deployment_config"]
        refuse_option("deployment_config", given, "no deployment_config on a cluster with Slurm", "updates in batches require EKS")
    groups = [state.groups[name] for name in due(desired, state)]
    if not groups:
        return Plan()
    if not cluster.in_service:
        raise Refused(
            f"Cluster {cluster.name} is {cluster.status}, and AWS updates software only while a cluster is InService. Run again "
            "when the cluster is InService."
        )
    arguments = {
        "ClusterName": cluster.arn,
        "InstanceGroups": [_requested(group.name, desired.versions[group.name]) for group in groups],
        **({"ImageId": desired.image_id} if desired.image_id else {}),
        **request(TABLE, desired.deployment),
    }
    changes = tuple(_change(desired, group) for group in groups)
    return Plan((Step("UpdateClusterSoftware", arguments, changes, lambda state: _updated(desired, state, groups)),))


def due(desired: Desired, state: State) -> list[str]:
    """The groups that do not have the desired software."""

    def has(name: str) -> bool:
        return _has(desired, state.groups[name]) and not behind(desired, state, name)

    return [name for name in desired.versions if desired.force or not has(name)]


def behind(desired: Desired, state: State, group: str) -> list[str]:
    """IDs of the group's nodes that an update skipped. Empty for a custom image, because AWS's listing lacks a node's image."""
    return state.behind(group, desired.versions[group]) if desired.image_id in (None, "default") else []


def _has(desired: Desired, group: Software) -> bool:
    """Whether the group has the desired software. Without a desired version, AWS must return that the software is the newest."""
    version = desired.versions[group.name]
    if version:
        return group.release == version
    if desired.image_id not in (None, "default"):
        return group.image_id == desired.image_id
    return group.version_status in IMAGE_VERSION.settled


def _requested(name: str, version: str) -> dict[str, str]:
    return {"InstanceGroupName": name, **({"ImageReleaseVersion": version} if version else {})}


def _change(desired: Desired, group: Software) -> Change:
    resource = f"software of group {group.name}"
    if desired.image_id not in (None, "default"):
        return Change("update", resource, "image_id", group.image_id or None, desired.image_id)
    return Change("update", resource, "image_release_version", group.release or None, desired.versions[group.name] or NEWEST)


def _updated(desired: Desired, state: State, groups: t.Iterable[Software]) -> State:
    after = {group.name: _new(desired, group) for group in groups}
    nodes = tuple(_of_group(node, after[node.group]) if node.group in after else node for node in state.nodes)
    return dataclasses.replace(state, groups={**state.groups, **after}, nodes=nodes)


def _of_group(node: NodeSoftware, group: Software) -> NodeSoftware:
    return dataclasses.replace(node, release=group.release, version_status=group.version_status)


def _new(desired: Desired, group: Software) -> Software:
    """The predicted software. The version number of the newest release is unknown."""
    return dataclasses.replace(
        group,
        release=desired.versions[group.name] or NEWEST,
        image_id=desired.image_id or NEWEST,
        version_status=group.version_status if desired.versions[group.name] or desired.image_id else UP_TO_DATE,
        update_status="Succeeded",
    )
