# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads Kueue's Workloads in the API versions ``v1beta1`` and ``v1beta2``. No I/O.

``topologyAssignment`` has ``domains`` in ``v1beta1`` and ``slices`` in ``v1beta2``. Source: Kueue's API reference.
"""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._kubernetes.client import Object
from .model import Assigned, Condition, Workload

LONGEST = 1000
JOB_UID = "kueue.x-k8s.io/job-uid"
"""The label of a Workload with its job's UID."""


def of_job(items: t.Iterable[Object], uid: str) -> Workload | None:
    """The Workload of a job; if there are several, the newest one."""
    own = [each for each in items if _is_of(each, uid)]
    newest = max(own, key=lambda each: str(each["metadata"].get("creationTimestamp") or ""), default=None)
    return None if newest is None else read(newest)


def _is_of(item: Object, uid: str) -> bool:
    meta = item["metadata"]
    owners = [each.get("uid") for each in meta.get("ownerReferences") or ()]
    return "deletionTimestamp" not in meta and uid in (*owners, (meta.get("labels") or {}).get(JOB_UID))


def read(item: Object) -> Workload:
    spec, status = item.get("spec") or {}, item.get("status") or {}
    conditions = {str(each.get("type")): _condition(each) for each in status.get("conditions") or ()}
    return Workload(
        name=str(item["metadata"]["name"]),
        active=spec.get("active", True) is not False,
        conditions=conditions,
        pods={str(each.get("name")): int(each.get("count") or 0) for each in spec.get("podSets") or ()},
        assigned=tuple(map(_assigned, (status.get("admission") or {}).get("podSetAssignments") or ())),
        unhealthy=tuple(_line(each.get("name")) for each in status.get("unhealthyNodes") or ()),
        evictions=tuple(dict.fromkeys(_line(each.get("reason")) for each in _evictions(status))),
    )


def _evictions(status: Object) -> list[Object]:
    return (status.get("schedulingStats") or {}).get("evictions") or []


def _condition(condition: Object) -> Condition:
    return Condition(*(_line(condition.get(name)) for name in ("status", "reason", "message")))


def _assigned(assignment: Object) -> Assigned:
    topology = assignment.get("topologyAssignment") or {}
    domains = [*_domains(topology.get("domains") or ()), *_slices(topology.get("slices") or ())]
    pods = assignment.get("count")
    return Assigned(
        podset=str(assignment.get("name")),
        pods=sum(count for _values, count in domains) if pods is None else int(pods),
        flavors=tuple(sorted({_line(each) for each in (assignment.get("flavors") or {}).values()})),
        levels=tuple(_line(each) for each in topology.get("levels") or ()),
        domains=tuple(domains),
    )


def _domains(domains: t.Iterable[Object]) -> t.Iterator[tuple[tuple[str, ...], int]]:
    for each in domains:
        yield tuple(_line(value) for value in each.get("values") or ()), int(each.get("count") or 0)


def _slices(slices: t.Iterable[Object]) -> t.Iterator[tuple[tuple[str, ...], int]]:
    for each in slices:
        count = int(each.get("domainCount") or 0)
        levels = [_values(level, count) for level in each.get("valuesPerLevel") or ()]
        pods = each.get("podCounts") or {}
        counts = pods.get("individual") or [pods.get("universal") or 0] * count
        yield from zip(zip(*levels), map(int, counts))


def _values(level: Object, count: int) -> list[str]:
    """The values of one level: one value for all domains, or a common prefix and suffix with a root for each domain."""
    if "universal" in level:
        return [_line(level["universal"])] * count
    each = level.get("individual") or {}
    return [_line(f"{each.get('prefix') or ''}{root}{each.get('suffix') or ''}") for root in each.get("roots") or ()]


def _line(value: t.Any) -> str:
    return printable("" if value is None else value)[:LONGEST]
