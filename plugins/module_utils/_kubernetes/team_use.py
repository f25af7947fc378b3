# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The use of teams' quotas, from the status of Kueue's ClusterQueues. Numbers that the status lacks are None, not 0."""

from __future__ import annotations

import re
import typing as t
from dataclasses import asdict, dataclass

from .._core.text import printable
from .client import Kubernetes, Object
from .names import OF_TEAMS
from .quantity import quantity

GROUP = "/apis/kueue.x-k8s.io"
_QUEUE = re.compile(rf"{OF_TEAMS}(.+)-clusterqueue")
WORKLOADS = {
    "pending_workloads": "pendingWorkloads",
    "reserving_workloads": "reservingWorkloads",
    "admitted_workloads": "admittedWorkloads",
}
"""The numbers of workloads, with their names in the status of a ClusterQueue."""


@dataclass(frozen=True)
class Resource:
    """Amounts of a resource in a flavor. ``used`` includes the borrowed amount."""

    flavor: str
    resource: str
    quota: float | None
    used: float | None
    borrowed: float | None
    reserved: float | None


def teams(kubernetes: Kubernetes) -> list[dict[str, t.Any]]:
    """The use of each team that has a ClusterQueue, sorted by team. Empty without Kueue.

    :raises KubernetesError:
    """
    version = ((kubernetes.find(GROUP) or {}).get("preferredVersion") or {}).get("version")
    queues = kubernetes.items(f"{GROUP}/{version}/clusterqueues") if version else []
    found = ((_QUEUE.fullmatch(str(each["metadata"]["name"])), each) for each in queues)
    return sorted((_team(match[1], each) for match, each in found if match), key=lambda each: str(each["team"]))


def _team(name: str, queue: Object) -> dict[str, t.Any]:
    status = queue.get("status") or {}
    counts = {option: _count(status.get(field)) for option, field in WORKLOADS.items()}
    return {"team": printable(name), **counts, "resources": [asdict(each) for each in _resources(queue.get("spec") or {}, status)]}


def _resources(spec: Object, status: Object) -> t.Iterator[Resource]:
    """The amounts of all resources that the quota or the status has."""
    flavors = [flavor for group in spec.get("resourceGroups") or () for flavor in group.get("flavors") or ()]
    quotas = _amounts(flavors, "nominalQuota")
    used, borrowed = (_amounts(status.get("flavorsUsage"), name) for name in ("total", "borrowed"))
    reserved = _amounts(status.get("flavorsReservation"), "total")
    for key in dict.fromkeys([*quotas, *used, *reserved]):
        flavor, resource = map(printable, key)
        yield Resource(flavor, resource, quotas.get(key), used.get(key), borrowed.get(key), reserved.get(key))


def _amounts(flavors: t.Iterable[Object] | None, field: str) -> dict[tuple[str, str], float | None]:
    """The amounts by flavor and resource."""
    return {
        (str(flavor.get("name")), str(each.get("name"))): quantity(each.get(field))
        for flavor in flavors or ()
        for each in flavor.get("resources") or ()
    }


def _count(value: t.Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
