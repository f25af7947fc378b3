# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Deep health checks of nodes."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

CHECKS = ("InstanceStress", "InstanceConnectivity", "MultiNodeTrainingValidation")


@dataclass(frozen=True)
class Check:
    """The checks of one group. Without node IDs, all nodes of the group are checked."""

    group: str
    checks: tuple[str, ...]
    node_ids: tuple[str, ...] = ()

    def request(self) -> dict[str, t.Any]:
        ids = {"InstanceIds": list(self.node_ids)} if self.node_ids else {}
        return {"InstanceGroupName": self.group, "DeepHealthChecks": list(self.checks), **ids}
