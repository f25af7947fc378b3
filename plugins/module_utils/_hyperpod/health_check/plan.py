# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the one call that starts the checks. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.plan import Change, Plan, Step
from ..cluster_nodes.model import State
from ..model import require_group
from .model import Check


def plan(checks: t.Sequence[Check], state: State) -> Plan:
    """Every run starts new checks.

    :raises Refused: for groups and nodes that do not exist, and for a cluster that is not InService.
    """
    cluster = state.cluster
    for check in checks:
        require_group(cluster, check.group, option="instance_groups")
        there = {node.instance_id for node in state.nodes if node.group == check.group}
        for node_id in check.node_ids:
            if node_id not in there:
                allowed = f"nodes of group {check.group}"
                refuse_option(f"instance_groups.{check.group}.node_ids", node_id, allowed, "the group has no such node")
    if not cluster.in_service:
        raise Refused(
            f"Cluster {cluster.name} is {cluster.status}, and AWS checks nodes only while a cluster is InService. Run again when"
            " the cluster is InService."
        )
    changes = tuple(
        Change("update", f"nodes of group {each.group}", "deep health check", None, list(each.checks)) for each in checks
    )
    arguments = {"ClusterName": cluster.arn, "DeepHealthCheckConfigurations": [each.request() for each in checks]}
    return Plan((Step("StartClusterHealthCheck", arguments, changes),))


def checked(checks: t.Sequence[Check], state: State) -> frozenset[str]:
    """IDs of the nodes to check."""
    named = {check.group: check.node_ids for check in checks}
    return frozenset(
        node.instance_id
        for node in state.nodes
        if node.group in named and (not named[node.group] or node.instance_id in named[node.group])
    )
