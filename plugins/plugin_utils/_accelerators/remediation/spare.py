# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a training plan has capacity for a replacement. AWS does not report on-demand capacity."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import REBOOT, REPLACE

Row = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Capacity:
    """The capacity of a training plan."""

    plan: str
    available: int | None
    """Number of available instances; None if unknown."""
    spare: int | None
    """Number of spare instances; None if unknown."""
    why: str = ""
    """Why a number is unknown."""

    @property
    def left(self) -> int | None:
        return None if self.available is None or self.spare is None else self.available + self.spare

    def refusal(self, taken: int) -> str:
        """Why no node can be replaced after this run has used ``taken`` instances. Empty if one can be, or if this is unknown."""
        if self.left is None or self.left > taken:
            return ""
        used = f", and this run already uses {taken}" if taken else ""
        text = f"Training plan {self.plan} has {self.available} available and {self.spare} spare instances"
        return f"{text}{used}. There is no capacity for a replacement."

    @property
    def doubt(self) -> str:
        """A sentence about unknown capacity; empty if the capacity is known."""
        if self.left is not None:
            return ""
        return f"Capacity for a replacement in training plan {self.plan} is unknown: {self.why or 'AWS does not report it'}."


def arns(groups: t.Sequence[Row], nodes: t.Mapping[str, Row]) -> list[str]:
    """The ARNs of the training plans to query, which are those of instance groups with an unfit node."""
    unfit = {node["instance_group"] for node in nodes.values() if node["verdict"] in (REBOOT, REPLACE)}
    return sorted({group["training_plan_arn"] for group in groups if group["name"] in unfit} - {""})


def capacities(groups: t.Sequence[Row], training_plans: t.Sequence[Row]) -> dict[str, Capacity]:
    """The capacities, keyed by instance group. ``training_plans``: as ``training_plan_info`` returns them."""
    plans = {each["name"]: _capacity(each) for each in training_plans}
    return {group["name"]: plans[group["training_plan_arn"]] for group in groups if group["training_plan_arn"] in plans}


def _capacity(plan: Row) -> Capacity:
    return Capacity(plan["name"].rpartition("/")[2], plan["available"], plan["spare"], plan["why"].rstrip("."))
