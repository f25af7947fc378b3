# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds instance groups in ``node_types`` that no cluster has. If a name is misspelt, the nodes of the group would have no type."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.nearest import did_you_mean, some_of

from .sources import Account, Wish


def of_cluster(wish: Wish, cluster: Cluster) -> list[str]:
    """One sentence for each group in the cluster's ``node_types`` that the cluster does not have."""
    there = [group.name for group in cluster.groups]
    return [_sentence(name, f"cluster {cluster.name}", there) for name in wish.named_groups if name not in there]


def of_all(accounts: t.Sequence[Account], clusters: t.Sequence[Cluster]) -> list[str]:
    """One sentence for each group in an account's ``node_types`` that none of the clusters has."""
    there = {group.name for cluster in clusters for group in cluster.groups}
    names = dict.fromkeys(name for account in accounts for name in account.node_types)
    return [_sentence(name, "any cluster that was read", there) for name in names if there and name not in there]


def _sentence(name: str, of: str, there: t.Collection[str]) -> str:
    hint = did_you_mean(name, there)
    return f"node_types: {name!r} is not an instance group of {of}{hint}Allowed: {some_of(there)}"
