# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory data for the report, never facts of a node. The hosts are the objects that ansible-core passes to callbacks."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import one_line


def not_read(host: t.Any) -> tuple[str, ...]:
    """Sentences about failed reads of the inventory. Only the inventory plugin can set them, not variable files or nodes."""
    for group in host.get_groups():
        if group.name == "all":
            return tuple(map(one_line, group.get_vars().get("hyperpod_inventory_failures", ())))
    return ()


def of_cluster(host: t.Any) -> dict[str, t.Any]:
    """Inventory data about a host's cluster, even if ``--limit`` excludes the cluster's inventory host."""
    names = {"arn": "hyperpod_cluster_arn", "account": "hyperpod_account_id", "region": "hyperpod_region"}
    groups = [group for group in host.get_groups() if group.name == host.vars.get("hyperpod_cluster_group")]
    nodes = [each for group in groups for each in group.get_hosts() if "hyperpod_instance_id" in each.vars]
    return {**{name: host.vars.get(variable) for name, variable in names.items()}, "nodes": len(nodes)}
