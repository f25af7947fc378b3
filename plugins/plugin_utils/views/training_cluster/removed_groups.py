# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups that the run drains and removes, because they are no longer declared and the user lists them."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.group_removal import leaving
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import GROUP, TEMPLATE, Resource
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import declared, names, observed, values
from .workloads import described, workloads

DRAINED = "__training_cluster_drained_groups"
"""The variable with the result of ``kubernetes_drain``."""


@dataclass(frozen=True)
class RemovedGroups:
    drained: list[str]
    """Names of the node groups to drain."""
    kinds: dict[str, list[Resource]]
    """The node groups and launch templates to remove, by kind. Empty if none exists any more."""
    unreadable: Findings
    """The failure if it is not known what runs on the nodes, because these nodes could then not be drained either."""
    undrained: Findings
    """The failure about Pods that have not ended."""


@view
def removed_groups(variables: Variables) -> RemovedGroups:
    found = leaving(declared(variables).removed_groups, observed(variables), names(variables).part)
    groups = [each.group for each in found if each.group is not None]
    templates = [each.template for each in found if each.template is not None]
    return RemovedGroups(
        drained=[each.name for each in found if each.drained],
        kinds={GROUP: groups, TEMPLATE: templates} if found else {},
        unreadable=_unreadable(variables, [each.name for each in found if each.nodes]),
        undrained=_undrained(variables),
    )


def _unreadable(variables: Variables, groups: list[str]) -> Findings:
    seen = workloads(variables)
    if not groups or seen is None or not seen.unread:
        return []
    return finding("training-cluster-undrainable", groups=groups, what=seen.unread)


def _undrained(variables: Variables) -> Findings:
    """In check mode, ``kubernetes_drain`` returns the Pods that it would evict."""
    left = plain(variables.get(DRAINED) or {}).get("remaining_pods") or []
    if not left or variables["ansible_check_mode"]:
        return []
    groups = sorted({each["node_group"] for each in left})
    seconds = values(variables)["drain_timeout"]
    return finding("training-cluster-undrained", pods=[described(each) for each in left], groups=groups, seconds=seconds)
