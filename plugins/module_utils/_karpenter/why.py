# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a Pod gets no node from Karpenter. Of several causes, the one to fix first is returned. No I/O."""

from __future__ import annotations

import typing as t

from .._kubernetes.nodes.labels import TYPE
from .._kubernetes.quantity import amount
from .causes import Cause, cause
from .meta import Status, not_before
from .model import Inside, NodeClass, NodePool
from .offers import Amounts, Offer, accelerators, capacities, offers, requirements_of, untolerated
from .outside import Group, Outside
from .pending import Pending
from .pods import Pod
from .used import over, used

IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable")


def why(pod: Pod, inside: Inside, outside: Outside) -> Cause | None:
    """The cause for one Pod; None if the Pod is not delayed. For many Pods, ``Reasons`` computes the common parts once."""
    return Reasons(inside, outside).why(pod)


class Reasons:
    """Causes for Pods, from the state in Kubernetes and AWS."""

    def __init__(self, inside: Inside, outside: Outside) -> None:
        self.inside = inside
        self.outside = outside
        self.capacity = capacities(inside)
        pools = sorted((each for each in inside.pools if not each.meta.leaving), key=lambda pool: -pool.weight)
        self.pools = tuple(pools)
        self.offers = [offer for pool in pools for offer in offers(pool, inside, outside, self.capacity)]
        self.pending = Pending(inside, self.capacity, self._takers)

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
        claim = self.pending.claim_of(pod)
        if claim is not None:
            open_ones = [offer for offer in open_ones if self.pending.is_of(claim, offer)]
            return self._autoscaling() or self._quota(pod, open_ones, more=0) or self.pending.cause(claim, pod, self.outside)
        return self._of_new_node(pod, open_ones)

    def _of_new_node(self, pod: Pod, fitting: t.Sequence[Offer]) -> Cause:
        """Why Karpenter creates no NodeClaim, or only NodeClaims that fail."""
        within = [offer for offer in fitting if not self._over(offer, pod)]
        if not within:
            return self._limits(fitting[0], pod)
        return (
            self._classes([offer.pool for offer in within])
            or self._autoscaling()
            or self._quota(pod, within, more=1)
            or self._capacity(pod, within)
            or cause("unknown", pod=pod.full_name, message=pod.scheduler_message)
        )

    def _takers(self, pod: Pod) -> list[Offer]:
        return _tolerated(pod, self._fitting(pod))

    def _fitting(self, pod: Pod) -> list[Offer]:
        required = requirements_of(pod)
        return [offer for offer in self.offers if all(each.granted(offer) for each in required)]

    def _without_pools(self) -> Cause:
        return self._autoscaling() or cause("no-node-pool")

    def _requirements(self, pod: Pod) -> Cause:
        required = requirements_of(pod)
        never = next((each for each in required if not any(map(each.granted, self.offers))), None)
        if not self.offers:
            return cause("no-group", pools=_names(self.pools))
        if never is not None:
            return cause("requirements", pod=pod.full_name, required=never.text, pools=_names(self.pools))
        together = ", ".join(each.text for each in required if not all(map(each.granted, self.offers)))
        return cause("requirements-together", pod=pod.full_name, required=together, pools=_names(self.pools))

    def _over(self, offer: Offer, pod: Pod) -> list[str]:
        return over(offer.pool, used(offer.pool, self.inside, self.capacity), offer.capacity or _at_least(offer, pod))

    def _limits(self, offer: Offer, pod: Pod) -> Cause:
        name, pool = self._over(offer, pod)[0], offer.pool
        there = used(pool, self.inside, self.capacity).get(name, 0.0)
        return cause("limits", pool=pool.meta.name, limit=amount(name, pool.limits[name]), used=amount(name, there))

    def _classes(self, pools: t.Sequence[NodePool]) -> Cause | None:
        found = {pool.meta.name: self.inside.node_class(pool.node_class) for pool in pools}
        ready = [pool for pool in pools if _ready(found[pool.meta.name])]
        if any(pool.status.ready for pool in ready):
            return None
        if ready:
            message = self._message(ready[0].status)
            return cause("node-pool", pool=ready[0].meta.name, message=message) if message else None
        first = pools[0]
        node_class = found[first.meta.name]
        if node_class is None:
            return cause("no-node-class", pool=first.meta.name, node_class=first.node_class)
        message = self._message(node_class.status)
        return cause("node-class", node_class=first.node_class, message=message) if message else None

    def _message(self, status: Status) -> str:
        """Why the object is not Ready; empty if the likely cause is an autoscaler that does not work."""
        message = status.why_not_ready
        if (not message or status.outdated) and not self.outside.autoscaling.works:
            return ""
        return message or "no reason is reported yet"

    def _autoscaling(self) -> Cause | None:
        scaler = self.outside.autoscaling
        if scaler.works:
            return None
        message = scaler.failure or ("it is switched off" if not scaler.on else "AWS has not finished the change")
        return cause("autoscaling", cluster=self.outside.cluster.name, status=scaler.status or "missing", message=message)

    def _quota(self, pod: Pod, wanted: t.Sequence[Offer], *, more: int) -> Cause | None:
        """
        :param wanted: suitable nodes; only their types count, not the other types of their groups.
        :param more: the number of nodes that are needed in addition to those that the quotas count as used.
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
                return cause("capacity", of=f"instance group {group.name}", message=failed.text)
        pools = {offer.pool.meta.name for offer in wanted}
        refused = [each for each in self.inside.launch_failures if each.pool in pools and not_before(each.at, since)]
        if not refused:
            return None
        groups = ", ".join(sorted({offer.group for offer in wanted if offer.pool.meta.name == refused[-1].pool}))
        return cause("capacity", of=f"NodePool {refused[-1].pool} (instance groups: {groups})", message=refused[-1].message)

    def _groups(self, wanted: t.Sequence[Offer]) -> list[Group]:
        names = dict.fromkeys(offer.group for offer in wanted)
        return [self.outside.groups[name] for name in names if name in self.outside.groups]


def _at_least(offer: Offer, pod: Pod) -> Amounts:
    """The minimum capacity of a node that fits the Pod, for an instance type that no node has yet."""
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
    return cause(code, pod=pod.full_name, node=pod.node, message=pod.trouble, namespace=pod.namespace, name=pod.meta.name)


def _ready(node_class: NodeClass | None) -> bool:
    return node_class is not None and node_class.status.ready


def _names(pools: t.Iterable[NodePool]) -> str:
    return ", ".join(sorted(pool.meta.name for pool in pools))
