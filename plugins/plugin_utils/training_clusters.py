# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EKS clusters without HyperPod: hosts of the group ``hyperpod_definitions`` with the name of an EKS cluster. No I/O.

Such a cluster has no inventory source, and no other hosts. Its key is the name of its host.
"""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_scope import CLUSTERS, DEFINITIONS, Groups, HostVars

NAME = "training_cluster_name"
"""The variable with the name of the EKS cluster."""
STATE_DIR = "~/.mlfleet/hyperpod"
"""The default state folder. For HyperPod clusters, the inventory sets it."""
Variables = t.Mapping[str, t.Any]


def is_one(variables: Variables) -> bool:
    """Whether a host with these variables is an EKS cluster without HyperPod."""
    return bool(variables.get(NAME)) and not variables.get("hyperpod_cluster_arn")


def hosts(groups: Groups, hostvars: HostVars) -> list[str]:
    """The hosts of these clusters. Before the first play, the variables of hosts are unknown, and the result contains all hosts of
    the group that are not HyperPod clusters.
    """
    clusters = {*groups.get(CLUSTERS, ())}
    defined = [each for each in groups.get(DEFINITIONS, ()) if each not in clusters]
    return [each for each in defined if each not in hostvars or is_one(hostvars[each])]


def key(variables: Variables) -> str:
    """The key of a cluster, with or without HyperPod."""
    return str(variables.get("hyperpod_cluster_key") or variables["inventory_hostname"])
