# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The returned cluster: its settings under the names of the options, and AWS's progress."""

from __future__ import annotations

import typing as t

from .model import LISTS, Desired, State, whole


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    found = state.cluster
    if found is None:
        return {"cluster": {"exists": False, "name": desired.name}}
    defined = {option: [] for option, _api, _table in LISTS} | whole(found.settings, found.groups)
    return {
        "cluster": {
            "exists": True,
            "name": found.name,
            "cluster_arn": found.arn,
            "status": found.status,
            "definition": defined,
            "tags": dict(found.tags),
            "progress": {
                name: {"status": group.status, "current": group.current, "target": group.target}
                for name, group in found.progress.items()
            },
        }
    }
