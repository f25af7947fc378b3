# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of a node group."""

from __future__ import annotations

import typing as t

from .model import Desired, Nodegroup, State
from .table import SETTINGS


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    if state.group is None:
        return {"eks_nodegroup": {"exists": False, "name": desired.name, "eks_cluster": desired.cluster}}
    return {"eks_nodegroup": {"exists": True, **to_result(desired.cluster, desired.name, state.group)}}


def to_result(cluster: str, name: str, group: Nodegroup) -> dict[str, t.Any]:
    return {
        "name": name,
        "eks_cluster": cluster,
        "nodegroup_arn": group.arn,
        "status": group.status,
        "issues": [issue.to_result() for issue in group.issues],
        **{setting.option: group.settings.get(setting.option) for setting in SETTINGS},
        "auto_scaling_groups": list(group.auto_scaling_groups),
        "tags": dict(group.tags),
    }
