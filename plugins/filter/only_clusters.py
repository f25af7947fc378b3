# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selects clusters in the hosts of a play."""

from __future__ import annotations

DOCUMENTATION = r"""
name: only_clusters
short_description: A host pattern without the clusters that were not selected
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - What C(hyperpod_only) does in every play. A cluster is selected with all its hosts, so that a selection leaves none of them out.
notes:
  - Internal to the collection; it may change with any version.
positional: only, groups
options:
  _input:
    description: A host pattern.
    type: str
    required: true
  only:
    description: Keys of clusters, as a list or a text with commas. With none, the pattern is returned as it is.
    type: raw
    required: true
  groups:
    description: All groups, C(groups).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Look at some clusters
  hosts: "{{ 'hyperpod_clusters' | mlfleet.hyperpod.only_clusters(hyperpod_only | default(''), groups) }}"
  tasks: []
"""

RETURN = r"""
_value:
  description: The pattern.
  type: str
  sample: hyperpod_clusters:!cluster_other
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_scope import pattern


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"only_clusters": pattern}
