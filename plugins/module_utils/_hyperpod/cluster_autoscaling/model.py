# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Managed Karpenter of a cluster: whether it must be enabled, and its state in AWS."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .. import statuses
from ..model import Cluster

ENABLE, DISABLE = "Enable", "Disable"
KARPENTER = "Karpenter"


@dataclass(frozen=True)
class Desired:
    """``role`` is the autoscaler's IAM role. AWS changes the role only while the autoscaler is disabled;
    ``replace_role`` allows the module to disable the autoscaler for this change.
    """

    cluster_arn: str
    present: bool
    role: str = ""
    replace_role: bool = False


@dataclass(frozen=True)
class State:
    cluster: Cluster
    node_recovery: str
    role: str
    mode: str = DISABLE
    status: str = ""
    """Empty without an autoscaler."""
    failure: str = ""

    @classmethod
    def from_api(cls, answer: t.Mapping[str, t.Any]) -> State:
        scaler = answer.get("AutoScaling") or {}
        return cls(
            cluster=Cluster.from_api(answer),
            node_recovery=answer.get("NodeRecovery", ""),
            role=answer.get("ClusterRole", ""),
            mode=scaler.get("Mode", DISABLE),
            status=scaler.get("Status", ""),
            failure=scaler.get("FailureMessage") or "",
        )

    @property
    def on(self) -> bool:
        return self.mode == ENABLE

    @property
    def works(self) -> bool:
        return self.on and self.status == statuses.IN_SERVICE

    @property
    def under_way(self) -> bool:
        return statuses.CLUSTER.is_busy(self.cluster.status) or statuses.AUTOSCALER.is_busy(self.status)
