# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds variable files for clusters that do not exist. Ansible ignores such files silently."""

from __future__ import annotations

import os
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.nearest import did_you_mean, some_of

from .hosts import group_name

PREFIX = "cluster_"


def beside(source: str) -> list[str]:
    """Files and folders for clusters in the group_vars folder next to the source."""
    folder = os.path.join(os.path.dirname(source), "group_vars")
    return sorted(name for name in os.listdir(folder) if name.startswith(PREFIX)) if os.path.isdir(folder) else []


def without_group(names: t.Iterable[str], groups: t.Collection[str], *, complete: bool) -> list[str]:
    """One sentence for each name that is not the name of a group.

    If the inventory is not ``complete``, the group may exist in a part that was not read. Only other spellings of known groups are
    then reported.
    """
    clusters = [name for name in groups if name.startswith(PREFIX)]
    found = []
    for name in names:
        stem, suffix = os.path.splitext(name)
        group = stem if suffix in (".yml", ".yaml", ".json") else name
        if group in groups:
            continue
        if group_name(group) in groups:
            found.append(f"group_vars/{name} applies to no cluster; rename it to match the group {group_name(group)}")
        elif complete:
            hint = did_you_mean(group, clusters)
            found.append(f"group_vars/{name} applies to no cluster{hint}The groups of clusters are {some_of(clusters)}")
    return found
