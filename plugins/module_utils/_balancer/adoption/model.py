# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The load balancer and target group that a cluster adopts: desired and observed."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from ..._aws.tags import Tags
from ..load_balancer.model import LoadBalancer
from ..target_group.model import TargetGroup


@dataclass(frozen=True)
class Desired:
    """The module's options. ``load_balancer`` and ``target_group`` are names or ARNs."""

    load_balancer: str
    target_group: str
    cluster_arn: str
    present: bool = True
    port: int = 22
    scheme: str | None = None
    tags: Tags = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    load_balancer: LoadBalancer | None = None
    target_group: TargetGroup | None = None

    def tagged(self, part: str, tags: Tags) -> State:
        """A copy with these tags of ``load_balancer`` or ``target_group``."""
        return dataclasses.replace(self, **{part: dataclasses.replace(getattr(self, part), tags=tags)})
