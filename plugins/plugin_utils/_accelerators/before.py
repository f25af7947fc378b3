# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of earlier runs. A report repeats them for the clusters and nodes that its own run did not check or could not read."""

from __future__ import annotations

import datetime
import itertools
import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import VERDICTS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds, moment_of

from ..untrusted import line
from .service import is_unreported

MEMORY = datetime.timedelta(days=7)
"""Results older than this are omitted."""
CLUSTERS, NODES = 1_000, 10_000
"""The maximum number of clusters, and of nodes in a cluster."""
Service = dict[str, str]
"""HyperPod's work on a node: the sentence ``does``, and the times ``since`` and ``seen`` when a run first and last observed it."""
Fields = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Last:
    """The last results of a cluster."""

    read: str = ""
    """Time of the last run that read the cluster."""
    verdicts: t.Mapping[str, str] = field(default_factory=dict)
    """The verdicts of all nodes of the cluster, keyed by instance ID."""
    services: t.Mapping[str, Service] = field(default_factory=dict)
    """HyperPod's work when it was last reported, keyed by instance ID. Other nodes have no entry."""


def last(document: Fields | None) -> dict[str, Last]:
    """The last results, keyed by cluster. ``document``: the previous run's document, whose field ``before`` may be missing."""
    before, created = _part(document, "before"), _moment((document or {}).get("created"))
    service = _part(before, "service")
    found = {key: Last(**_read(each), services=_services(service, key)) for key, each in _parts(before, "clusters")}
    for key, cluster in _parts(document, "clusters"):
        if not cluster.get("failure"):
            nodes = dict(_parts(cluster, "nodes"))
            own = {iid: _service({**_part(node, "service"), "seen": created}) for iid, node in nodes.items()}
            others = {iid: each for iid, each in _services(service, key).items() if iid in nodes}
            services = {**others, **{iid: each for iid, each in own.items() if each}}
            found[key] = Last(created, {iid: _verdict(node.get("verdict")) for iid, node in nodes.items()}, services)
    return found


def kept(before: t.Mapping[str, Last], clusters: Fields, *, created: str) -> dict[str, t.Any]:
    """The document's field ``before``, for the next run. ``clusters``: this run's clusters, as in the document."""
    begin = iso_seconds(moment_of(created) - MEMORY)
    unread = {key: each for key, each in before.items() if (key not in clusters or clusters[key]["failure"]) and each.read >= begin}
    services = {key: _kept(each, clusters.get(key), begin) for key, each in before.items()}
    return {
        "clusters": {key: {"read": each.read, "verdicts": dict(each.verdicts)} for key, each in unread.items()},
        "service": {key: each for key, each in services.items() if each},
    }


def _kept(before: Last, cluster: Fields | None, begin: str) -> dict[str, Service]:
    young = {iid: each for iid, each in before.services.items() if each["seen"] >= begin}
    if cluster is None or cluster["failure"]:
        return young
    nodes = cluster["nodes"]
    return {iid: each for iid, each in young.items() if iid in nodes and is_unreported(each["does"], nodes[iid])}


def _read(value: Fields) -> dict[str, t.Any]:
    verdicts = itertools.islice(_part(value, "verdicts").items(), NODES)
    return {"read": _moment(value.get("read")), "verdicts": {line(iid): _verdict(each) for iid, each in verdicts}}


def _services(value: Fields, key: str) -> dict[str, Service]:
    found = {iid: _service(each) for iid, each in _parts(value, key)}
    return {iid: each for iid, each in found.items() if each}


def _service(value: Fields) -> Service:
    """HyperPod's work in a report; empty if there was none, or if a field is missing."""
    does, since, seen = line(value.get("does")), _moment(value.get("since")), _moment(value.get("seen"))
    return {"does": does, "since": since, "seen": seen} if does and since and seen else {}


def _verdict(value: t.Any) -> str:
    return value if isinstance(value, str) and value in VERDICTS else ""


def _moment(value: t.Any) -> str:
    try:
        return iso_seconds(moment_of(str(value)))
    except (ValueError, OverflowError):
        return ""


def _part(value: t.Any, name: str) -> Fields:
    found = value.get(name) if isinstance(value, t.Mapping) else None
    return found if isinstance(found, t.Mapping) else {}


def _parts(value: t.Any, name: str) -> t.Iterator[tuple[str, Fields]]:
    found = itertools.islice(_part(value, name).items(), CLUSTERS if name == "clusters" else NODES)
    return ((line(key), each) for key, each in found if isinstance(each, t.Mapping))
