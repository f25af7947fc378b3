# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a NodeClaim is not removed. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._core.text import printable
from .meta import Object
from .model import Inside, NodeClaim, NodePool
from .pods import KEPT, Pod

POD, POD_BUDGET, POOL_BUDGET = "pod", "pod-disruption-budget", "node-pool-budget"
NONE_ALLOWED = ("0", "0%")


@dataclass(frozen=True)
class Hold:
    kind: str
    name: str
    text: str
    """A printable part of a sentence."""

    def to_result(self) -> dict[str, str]:
        return {"kind": self.kind, "name": self.name, "text": self.text}


def holding(claim: NodeClaim, pods: t.Sequence[Pod], inside: Inside) -> list[Hold]:
    """
    :param pods: the Pods on the NodeClaim's node, from ``Inside.on``.
    """
    return [*_kept(pods), *_protected(pods, inside), *_budgeted(claim, inside.pool(claim.pool))]


def _kept(pods: t.Iterable[Pod]) -> t.Iterator[Hold]:
    for pod in pods:
        if pod.kept:
            yield Hold(POD, pod.full_name, printable(f"Pod {pod.full_name} has {KEPT}"))


def _protected(pods: t.Sequence[Pod], inside: Inside) -> t.Iterator[Hold]:
    for budget in inside.budgets:
        held = [pod.full_name for pod in pods if budget.holds(pod)]
        if held:
            name = f"{budget.namespace}/{budget.name}"
            text = f"PodDisruptionBudget {name} allows no disruption of its Pods ({', '.join(held)})"
            yield Hold(POD_BUDGET, name, printable(text))


def _budgeted(claim: NodeClaim, pool: NodePool | None) -> t.Iterator[Hold]:
    """A NodePool's budgets limit only disruptions by Karpenter itself, not deletions by users."""
    if pool is None or claim.meta.leaving or pool.meta.leaving:
        return
    for budget in pool.budgets:
        if str(budget.get("nodes", "")) in NONE_ALLOWED:
            text = f"a disruption budget of NodePool {pool.meta.name} allows no node to be removed{_when(budget)}"
            yield Hold(POOL_BUDGET, pool.meta.name, printable(text))


def _when(budget: Object) -> str:
    reasons = f" for reason {', '.join(budget['reasons'])}" if budget.get("reasons") else ""
    times = f", with schedule {budget['schedule']} and duration {budget.get('duration', '')}" if budget.get("schedule") else ""
    return f"{reasons}{times}"
