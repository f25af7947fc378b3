# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster's host of a node, from groups: unlike the node's variables, nothing that a node answers changes them."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet


def cluster_host(group_names: t.Sequence[str], groups: t.Mapping[str, t.Sequence[str]]) -> str:
    try:
        return fleet.cluster_host(group_names, groups)
    except fleet.NoCluster as error:
        raise AnsibleFilterError(str(error)) from error


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"cluster_host": cluster_host}
