# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return value of ``cluster_software``: the software of each instance group that the options name."""

from __future__ import annotations

import typing as t

from .model import Desired, State
from .plan import behind


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    groups = [state.groups[name] for name in desired.versions]
    return {
        "groups": [
            {
                "name": group.name,
                "image_release_version": group.release,
                "image_id": group.image_id,
                "image_version_status": group.version_status,
                "software_update_status": group.update_status,
                "nodes_behind": behind(desired, state, group.name),
            }
            for group in groups
        ]
    }
