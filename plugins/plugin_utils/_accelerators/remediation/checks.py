# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HyperPod's deep health checks that the variables request."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.model import CHECKS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.statuses import CHECKING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import service
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

WHICH, OF_NODES = "remediation_deep_checks", "remediation_deep_check_nodes"


@dataclass(frozen=True)
class Request:
    checks: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    """Instance IDs, and names of instance groups."""

    def names(self, iid: str, group: str) -> bool:
        return iid in self.nodes or group in self.nodes


NONE = Request()


def request(variables: t.Mapping[str, t.Any]) -> Request:
    which, nodes = (given_names(plain(variables[name])) for name in (WHICH, OF_NODES))
    return Request(tuple(which), tuple(nodes))


def workers(variables: t.Mapping[str, t.Any]) -> dict[str, str]:
    """The instance group of each node that takes jobs, keyed by instance ID, for all clusters of the play."""
    hostvars, groups = variables["hostvars"], variables["groups"]
    others = {*groups.get(fleet.CONTROLLERS, ()), *groups.get(fleet.LOGIN_NODES, ())}
    clusters = [hostvars[host]["hyperpod_cluster_group"] for host in variables["ansible_play_hosts_all"]]
    hosts = [hostvars[host] for cluster in clusters for host in groups[cluster] if host not in others]
    nodes = [each for each in hosts if "hyperpod_instance_id" in each]
    return {str(each["hyperpod_instance_id"]): str(each["hyperpod_instance_group"]) for each in nodes}


def problems(variables: t.Mapping[str, t.Any]) -> list[str]:
    given = request(variables)
    if bool(given.checks) != bool(given.nodes):
        there, missing = (WHICH, OF_NODES) if given.checks else (OF_NODES, WHICH)
        return [f"{missing}: missing. Set both {missing} and {there}, or neither."]
    groups = workers(variables) if given.nodes else {}
    known, names = {*groups, *groups.values()}, ", ".join(sorted(set(groups.values()))) or "none"
    allowed = f"instance IDs and instance groups of nodes that take jobs: {names}"
    return [
        *(not_allowed(WHICH, each, ", ".join(CHECKS)) for each in given.checks if each not in CHECKS),
        *(not_allowed(OF_NODES, each, allowed) for each in given.nodes if each not in known),
    ]


def under_way(nodes: t.Mapping[str, t.Any]) -> list[str]:
    """Instance IDs of nodes that HyperPod is checking now."""
    return [
        iid for iid, node in nodes.items() if node["known"]["hyperpod"] == CHECKING or node["service"]["does"] == service.CHECKS
    ]


def requested(rows: t.Sequence[t.Mapping[str, t.Any]]) -> list[dict[str, t.Any]]:
    """The rows of a plan in the format of the module ``cluster_health_check``."""
    groups = dict.fromkeys(row["group"] for row in rows)
    return [
        {
            "name": group,
            "checks": list(dict.fromkeys(name for row in rows if row["group"] == group for name in given_names(row["checks"]))),
            "node_ids": [row["node"] for row in rows if row["group"] == group],
        }
        for group in groups
    ]
