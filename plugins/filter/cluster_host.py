# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster's host of a node, from groups: unlike the node's variables, nothing that a node answers changes them."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

CLUSTERS = "hyperpod_clusters"
PREFIX = "cluster_"


def cluster_host(group_names: t.Sequence[str], groups: t.Mapping[str, t.Sequence[str]]) -> str:
    """The only cluster's host in the host's groups ``cluster_KEY``; a person's own group may hold several clusters."""
    clusters = set(groups.get(CLUSTERS, ()))
    held = [clusters & set(groups[name]) for name in group_names if name.startswith(PREFIX)]
    found = {host for hosts in held if len(hosts) == 1 for host in hosts}
    if len(found) != 1:
        raise AnsibleFilterError(
            f"The groups {', '.join(group_names) or '(none)'} name no cluster; a node and its cluster's host are in one "
            f"group {PREFIX}KEY, and the cluster's host is in {CLUSTERS}."
        )
    return str(found.pop())


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"cluster_host": cluster_host}
