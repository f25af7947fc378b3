# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The nodes that are starting, and the Pods for which they start. No I/O.

A NodeClaim does not name its Pods. Pods are therefore assigned to NodeClaims, beginning with the Pod that has waited longest.
"""

from __future__ import annotations

import typing as t

from .._kubernetes.nodes.labels import GROUP, TYPE, ZONE
from .causes import Cause, cause
from .meta import not_before
from .model import Inside, NodeClaim
from .offers import Amounts, Offer, fits
from .outside import Outside
from .pods import Pod

YOUNG = "AwaitingReconciliation"
"""The reason of a condition that Karpenter has not evaluated yet."""
Offers = t.Callable[[Pod], t.Sequence[Offer]]


class Pending:
    """
    :param offers: returns the possible nodes for a Pod.
    """

    def __init__(self, inside: Inside, capacity: t.Mapping[str, Amounts], offers: Offers) -> None:
        self.claims = [each for each in inside.claims if not each.meta.leaving and not each.status.holds("Initialized")]
        self._for = self._shared_out(inside, capacity, offers) if self.claims else {}

    def claim_of(self, pod: Pod) -> NodeClaim | None:
        return self._for.get(pod.full_name)

    @staticmethod
    def is_of(claim: NodeClaim, offer: Offer) -> bool:
        known = {GROUP: claim.group, TYPE: claim.instance_type, ZONE: claim.zone}
        same = all(offer.labels[key] == value for key, value in known.items() if value and key not in offer.unknown)
        return same and claim.pool == offer.pool.meta.name

    @staticmethod
    def cause(claim: NodeClaim, pod: Pod, outside: Outside) -> Cause:
        launched = claim.status.conditions.get("Launched")
        if launched is not None and launched.status != "True" and launched.reason != YOUNG:
            of = f"instance group {claim.group}" if claim.group else f"NodePool {claim.pool}"
            return cause("capacity", of=of, message=launched.message or launched.reason)
        failed = outside.failures.get(claim.group)
        if failed is not None and failed.text and not_before(failed.at, claim.meta.created):
            return cause("capacity", of=f"instance group {claim.group}", message=failed.text)
        of = f" of instance group {claim.group}" if claim.group else ""
        return cause(
            "on-its-way", pod=pod.full_name, claim=claim.meta.name, of=of, state=claim.state, since=claim.meta.created
        )

    def _shared_out(self, inside: Inside, capacity: t.Mapping[str, Amounts], offers: Offers) -> dict[str, NodeClaim]:
        room = {claim.meta.name: _room(claim, inside, capacity) for claim in self.claims}
        found: dict[str, NodeClaim] = {}
        for pod in sorted(filter(_waits, inside.pods), key=lambda each: (each.since, each.full_name)):
            wanted = offers(pod)
            taking = (each for each in self.claims if any(self.is_of(each, offer) for offer in wanted))
            claim = next((each for each in taking if _within(pod.requests, room[each.meta.name])), None)
            if claim is not None:
                found[pod.full_name] = claim
                room[claim.meta.name] = _less(room[claim.meta.name], pod.requests)
        return found


def _waits(pod: Pod) -> bool:
    return pod.waits


def _room(claim: NodeClaim, inside: Inside, capacity: t.Mapping[str, Amounts]) -> Amounts | None:
    """The free capacity of the NodeClaim's node; None if it is unknown."""
    room: Amounts | None = claim.capacity or capacity.get(claim.instance_type)
    for pod in inside.on(claim):
        room = _less(room, pod.requests)
    return room


def _within(wanted: Amounts, room: Amounts | None) -> bool:
    return room is None or fits(wanted, room)


def _less(room: Amounts | None, taken: Amounts) -> Amounts | None:
    return None if room is None else {name: value - taken.get(name, 0.0) for name, value in room.items()}
