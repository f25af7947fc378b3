# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a node was not added or not removed, for a proof that timed out."""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._aws.service_quota.api import ServiceQuotas
from ..._core.failure import Failure
from ..._core.text import printable
from ..model import Inside, NodeClaim, NodePool
from ..observe import observe
from ..outside import Outside, with_failures, with_quotas
from ..why import why
from .model import Desired
from .observe import Observer
from .refusals import EMPTY
from .timeline import Seen


class Reasons:
    """Explains why a node was not added or not removed. Each explanation reads the complete state again."""

    def __init__(self, observer: Observer, quotas: ServiceQuotas) -> None:
        self.observer = observer
        self.quotas = quotas

    def no_node(self, desired: Desired, seen: Seen) -> str:
        """Why the Pod has no node. A failed read raises no error, because the caller must still report that the wait timed out."""
        try:
            inside, outside = observe(self.observer.kubernetes), self._outside()
        except (Failure, AwsError) as error:
            return f"the reason is unknown: {str(error).rstrip('.')}."
        pod = next((each for each in inside.pods if each.full_name == desired.pod), None)
        cause = why(pod, inside, outside) if pod is not None else None
        return f"{cause.text} {cause.next_step}" if cause else f"no known cause applies; {_reported(seen)}."

    def _outside(self) -> Outside:
        api = self.observer.api
        return with_quotas(with_failures(self.observer.outside(), api), api, self.quotas)

    def held(self, desired: Desired, seen: Seen) -> str:
        try:
            return holding(observe(self.observer.kubernetes), desired.node_pool, seen.claims)
        except (Failure, AwsError) as error:
            return f"The reason is unknown: {str(error).rstrip('.')}."


def _reported(seen: Seen) -> str:
    """The reason that the scheduler reports."""
    scheduled = seen.smoke.pod.status.conditions.get("PodScheduled") if seen.smoke else None
    if scheduled is None:
        return "no reason is reported"
    return f"the scheduler reports: {printable(scheduled.message or scheduled.reason).rstrip('.')}"


def holding(inside: Inside, pool_name: str, claims: t.Sequence[NodeClaim]) -> str:
    """Why Karpenter does not remove nodes, and the next step."""
    if not claims:
        return "Karpenter has released the nodes, but HyperPod has not terminated them yet. Check aws sagemaker list-cluster-nodes."
    names = ", ".join(printable(claim.meta.name) for claim in claims)
    pods = [printable(text) for claim in claims for text in _of_pods(inside, claim)]
    if pods:
        there = "; ".join(pods)
        return f"Pods use the nodes: {there}. Karpenter removes a node after its Pods end. Run kubectl describe nodeclaim {names}."
    pool = inside.pool(pool_name)
    budgets = [printable(text) for text in _of_budgets(pool)] if pool else []
    if budgets:
        there = f"NodePool {pool_name} has {'; '.join(budgets)}"
        return f"The nodes run no Pods, but {there}, which may prevent the removal of the nodes. Change the budget."
    return f"The nodes run no Pods. Karpenter's events have the reason. To read them, run kubectl describe nodeclaim {names}."


def _of_pods(inside: Inside, claim: NodeClaim) -> t.Iterator[str]:
    for pod in inside.on(claim):
        budget = next((each for each in inside.budgets if each.holds(pod)), None)
        if pod.kept:
            yield f"{pod.full_name}, which has karpenter.sh/do-not-disrupt"
        elif budget is not None:
            yield f"{pod.full_name}, which PodDisruptionBudget {budget.name} protects"
        else:
            yield pod.full_name


def _of_budgets(pool: NodePool) -> t.Iterator[str]:
    for each in pool.budgets:
        if EMPTY in (each.get("reasons") or (EMPTY,)) and str(each.get("nodes")) in ("0", "0%"):
            when = f" with schedule {each['schedule']}" if each.get("schedule") else ""
            yield f"a disruption budget of {each['nodes']} nodes{when}"
