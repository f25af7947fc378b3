# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of an access entry."""

from __future__ import annotations

import typing as t

from .model import Desired, Entry, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    if state.entry is None:
        return {"eks_access_entry": {"exists": False, "principal_arn": desired.principal, "eks_cluster": desired.cluster}}
    return {"eks_access_entry": {"exists": True, **to_result(desired.cluster, state.entry)}}


def to_result(cluster: str, entry: Entry) -> dict[str, t.Any]:
    return {
        "principal_arn": entry.principal,
        "eks_cluster": cluster,
        "access_entry_arn": entry.arn,
        "type": entry.type,
        "kubernetes_groups": list(entry.groups),
        "username": entry.username,
        "access_policies": [each.to_result() for each in entry.policies],
        "tags": dict(entry.tags),
    }
