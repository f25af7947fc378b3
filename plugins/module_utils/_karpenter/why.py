# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a pod gets no node of Karpenter, the first reason of many in the order in which somebody would mend them: pure."""

from __future__ import annotations

import typing as t

from .._kubernetes.nodes.labels import TYPE
from .causes import Cause, cause
from .coming import Coming
from .meta import Standing, not_before
from .model import Inside, NodeClass, NodePool
from .offers import Amounts, Offer, accelerators, capacities, offers, untolerated, wishes
from .outside import Group, Outside
from .pods import Pod
from .quantity import amount
from .used import over, used

IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable")


def why(pod: Pod, inside: Inside, outside: Outside) -> Cause | None:
    """Of one pod; for many, ``Reasons`` does once what is the same for all. None for a pod that is not held up."""
    return Reasons(inside, outside).why(pod)


class Reasons:
    """What is there inside Kubernetes and outside, asked about pods."""

    def __init__(self, inside: Inside, outside: Outside) -> None:
        self.inside = inside
        self.outside = outside
        self.capacity = capacities(inside)
        pools = sorted((each for each in inside.pools if not each.meta.leaving), key=lambda pool: -pool.weight)
        self.pools = tuple(pools)
        self.offers = [offer for pool in pools for offer in offers(pool, inside, outside, self.capacity)]
        self.coming = Coming(inside, self.capacity, self._takers)

    def why(self, pod: Pod) -> Cause | None:
        if pod.node:
            return _of_containers(pod)
        if pod.gated:
            return cause("queued", pod=pod.full_name, namespace=pod.namespace)
        return self._of_waiting(pod) if pod.waits else None

    def _of_waiting(self, pod: Pod) -> Cause:
        if not self.pools:
            return self._without_pools()
        fitting = self._fitting(pod)
        if not fitting:
            return self._requirements(pod)
        open_ones = _tolerated(pod, fitting)
        if not open_ones:
            return _taint(pod, fitting[0].pool)
        claim = self.coming.claim_of(pod)
        if claim is not None:
            open_ones = [offer for offer in open_ones if self.coming.is_of(claim, offer)]
            return self._autoscaling() or self._quota(pod, open_ones, more=0) or self.coming.cause(claim, pod, self.outside)
        return self._of_new_node(pod, open_ones)

    def _of_new_node(self, pod: Pod, fitting: t.Sequence[Offer]) -> Cause:
        """Why no NodeClaim is made, or none that lasts."""
        within = [offer for offer in fitting if not self._over(offer, pod)]
        if not within:
            return self._limits(fitting[0], pod)
        return (
            self._classes([offer.pool for offer in within])
            or self._autoscaling()
            or self._quota(pod, within, more=1)
            or self._capacity(pod, within)
            or cause("unknown", pod=pod.full_name, said=pod.scheduler_message)
        )

    def _takers(self, pod: Pod) -> list[Offer]:
        return _tolerated(pod, self._fitting(pod))

    def _fitting(self, pod: Pod) -> list[Offer]:
        asked = wishes(pod)
        return [offer for offer in self.offers if all(wish.granted(offer) for wish in asked)]

    def _without_pools(self) -> Cause:
        return self._autoscaling() or cause("no-node-pool")

    def _requirements(self, pod: Pod) -> Cause:
        asked = wishes(pod)
        never = next((wish for wish in asked if not any(map(wish.granted, self.offers))), None)
        if not self.offers:
            return cause("no-group", pools=_names(self.pools))
        if never is not None:
            return cause("requirements", pod=pod.full_name, asked=never.text, pools=_names(self.pools))
        together = ", ".join(wish.text for wish in asked if not all(map(wish.granted, self.offers)))
        return cause("requirements-together", pod=pod.full_name, asked=together, pools=_names(self.pools))

    def _over(self, offer: Offer, pod: Pod) -> list[str]:
        return over(offer.pool, used(offer.pool, self.inside, self.capacity), offer.capacity or _at_least(offer, pod))

    def _limits(self, offer: Offer, pod: Pod) -> Cause:
        name, pool = self._over(offer, pod)[0], offer.pool
        there = used(pool, self.inside, self.capacity).get(name, 0.0)
        return cause("limits", pool=pool.meta.name, limit=amount(name, pool.limits[name]), used=amount(name, there))

    def _classes(self, pools: t.Sequence[NodePool]) -> Cause | None:
        found = {pool.meta.name: self.inside.node_class(pool.node_class) for pool in pools}
        ready = [pool for pool in pools if _ready(found[pool.meta.name])]
        if any(pool.standing.ready for pool in ready):
            return None
        if ready:
            said = self._said(ready[0].standing)
            return cause("node-pool", pool=ready[0].meta.name, said=said) if said else None
        first = pools[0]
        node_class = found[first.meta.name]
        if node_class is None:
            return cause("no-node-class", pool=first.meta.name, node_class=first.node_class)
        said = self._said(node_class.standing)
        return cause("node-class", node_class=first.node_class, said=said) if said else None

    def _said(self, standing: Standing) -> str:
        """Why it is not Ready; empty where nobody looks at it, since the autoscaler is off: that is told next."""
        said = standing.why_not_ready
        if (not said or standing.outdated) and not self.outside.autoscaling.works:
            return ""
        return said or "it says nothing yet"

    def _autoscaling(self) -> Cause | None:
        scaler = self.outside.autoscaling
        if scaler.works:
            return None
        said = scaler.failure or ("it is switched off" if not scaler.on else "AWS has not finished")
        return cause("autoscaling", cluster=self.outside.cluster.name, status=scaler.status or "missing", said=said)

    def _quota(self, pod: Pod, wanted: t.Sequence[Offer], *, more: int) -> Cause | None:
        """
        :param wanted: nodes that would do; their types are those that count, not all that their groups could be of.
        :param more: nodes that are not counted as used yet.
        """
        kinds = dict.fromkeys((offer.labels[TYPE], offer.spot) for offer in wanted if TYPE not in offer.unknown)
        low = [self.outside.low_quotas.get(kind) for kind in kinds]
        short = [quota for quota in low if quota is not None and quota.used + more > quota.applied]
        if not short or len(short) < len(low):
            return None
        return cause("quota", pod=pod.full_name, quota=short[0].name, used=short[0].used, applied=f"{short[0].applied:g}")

    def _capacity(self, pod: Pod, wanted: t.Sequence[Offer]) -> Cause | None:
        since = pod.since
        for group in self._groups(wanted):
            failed = self.outside.failures.get(group.name)
            if failed is not None and failed.text and not_before(failed.at, since):
                return cause("capacity", of=f"instance group {group.name}", said=failed.text)
        pools = {offer.pool.meta.name for offer in wanted}
        refused = [each for each in self.inside.launch_failures if each.pool in pools and not_before(each.at, since)]
        if not refused:
            return None
        groups = ", ".join(sorted({offer.group for offer in wanted if offer.pool.meta.name == refused[-1].pool}))
        return cause("capacity", of=f"NodePool {refused[-1].pool} (instance groups: {groups})", said=refused[-1].message)

    def _groups(self, wanted: t.Sequence[Offer]) -> list[Group]:
        names = dict.fromkeys(offer.group for offer in wanted)
        return [self.outside.groups[name] for name in names if name in self.outside.groups]


def _at_least(offer: Offer, pod: Pod) -> Amounts:
    """What a node has that takes the pod, where none of its type was seen."""
    known = accelerators(offer.labels[TYPE])
    return {name: max(pod.requests.get(name, 0.0), known.get(name, 0.0)) for name in (*pod.requests, *known)}


def _tolerated(pod: Pod, wanted: t.Iterable[Offer]) -> list[Offer]:
    return [offer for offer in wanted if untolerated(pod, offer.pool) is None]


def _taint(pod: Pod, pool: NodePool) -> Cause:
    taint = untolerated(pod, pool) or {}
    text = f"{taint.get('key')}{'=' if taint.get('value') else ''}{taint.get('value') or ''}:{taint.get('effect')}"
    return cause("taint", pod=pod.full_name, taint=text, pool=pool.meta.name)


def _of_containers(pod: Pod) -> Cause | None:
    if not pod.trouble or not pod.counts:
        return None
    code = "image" if pod.trouble.partition(":")[0] in IMAGE else "container"
    return cause(code, pod=pod.full_name, node=pod.node, said=pod.trouble, namespace=pod.namespace, name=pod.meta.name)


def _ready(node_class: NodeClass | None) -> bool:
    return node_class is not None and node_class.standing.ready


def _names(pools: t.Iterable[NodePool]) -> str:
    return ", ".join(sorted(pool.meta.name for pool in pools))
