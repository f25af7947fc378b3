# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a job of Kueue's does not run, in plain words. Pure.

Reasons and messages are those of Kueue 0.12 to 0.20; what is not known is shown as it is.
"""

from __future__ import annotations

import re

from .model import Condition, Workload

RESERVED, ADMITTED, EVICTED, DONE = "QuotaReserved", "Admitted", "Evicted", "Finished"
BY_REASON = {
    "NoMatchingFlavor": "no ResourceFlavor of its queue has nodes that the job may run on",
    "WaitingForQuota": "the quota of its queue is used by other jobs, and it starts once enough of them have ended",
    "ExceedsMaxQuota": "it asks for more than its queue can ever have",
    "TopologyPlacementFailed": "no domain of the topology has room for it",
    "WaitingForPreemptedWorkloads": "jobs that have to make room for it are being ended",
    "Misconfigured": "its queue is not set up so that it could run",
    "Suspended": "it, or its queue, is suspended",
    "PendingEvaluation": "Kueue has not looked at it yet",
    "WaitingForPodsReady": "Kueue waits until all pods of the jobs before it are ready (gang scheduling)",
}
"""Of the condition QuotaReserved, from Kueue 0.19 on; before, all of them are Pending."""
BY_EVICTION = {
    "Preempted": "it had to make room for another job",
    "PodsReadyTimeout": "its pods were not all ready in time (gang scheduling): a slow pull of the image counts, too",
    "AdmissionCheck": "an admission check refused it",
    "ClusterQueueStopped": "its ClusterQueue was stopped",
    "LocalQueueStopped": "its LocalQueue was stopped",
    "NodeFailures": "nodes of it failed, and there was no replacement",
    "Deactivated": "it was deactivated, and does not start by itself any more",
}
_TOPOLOGY = r'topology "(?P<topology>[^"]*)" '
_NOT_FIT = re.compile(
    _TOPOLOGY
    + r"(?:doesn't allow to fit any of (?P<all>\d+)|allows to fit only (?P<some>\d+) out of (?P<of>\d+)) "
    + r"(?P<what>pod|slice)\(s\)"
)
_EXCLUDED = re.compile(r"Total nodes: (?P<total>\d+); excluded: (?P<excluded>.*)")
_EXCLUSION = re.compile(r'(?P<kind>[A-Za-z]+)(?: "(?P<name>[^"]*)")?: (?P<count>\d+)')
_NO_DOMAINS = re.compile(r"no topology domains at level: (?P<level>\S+)")
_SLICE_ABOVE = re.compile(r"podset slice topology (?P<slice>\S+) is above the podset topology (?P<podset>\S+)")
_BY_EXCLUSION = {
    "nodeSelector": "are not among those that its node selector names",
    "affinity": "are not among those that its affinity names",
    "topologyDomain": "are in another domain than the one that it needs",
    "draNoFit": "lack devices that it claims",
}
STRAYS = "A node counts as free only as far as DaemonSets and pods without a queue leave room"


def waiting(workload: Workload | None) -> str:
    """Why it does not run yet; empty where Kueue lets it."""
    if workload is None:
        return "Kueue has made no Workload for it yet"
    if not workload.active:
        return BY_EVICTION["Deactivated"] + _because(workload.conditions.get(EVICTED))
    if workload.holds(ADMITTED):
        return ""
    reserved = workload.conditions.get(RESERVED)
    if workload.holds(RESERVED):
        return "its quota is reserved, and admission checks are not over"
    told = [] if reserved is None else [_reserved(reserved)]
    if workload.holds(EVICTED):
        told.append(f"it was evicted before: {evicted(workload.conditions[EVICTED])}")
    return "; ".join(filter(None, told)) or BY_REASON["PendingEvaluation"]


def evicted(condition: Condition) -> str:
    known = BY_EVICTION.get(condition.reason) or (BY_EVICTION["Deactivated"] if condition.reason.startswith("Deactivated") else "")
    return known + (f" ({condition.message})" if known and condition.message else "") or _as_it_is(condition)


def _because(condition: Condition | None) -> str:
    return f" ({_as_it_is(condition)})" if condition is not None and _as_it_is(condition) else ""


def _as_it_is(condition: Condition) -> str:
    return ": ".join(filter(None, (condition.reason, condition.message)))


def _reserved(condition: Condition) -> str:
    plain = explained(condition.message)
    known = BY_REASON.get(condition.reason, "")
    if plain:
        return plain
    if known:
        return f"{known} ({condition.message})" if condition.message else known
    return condition.message if condition.reason == "Pending" and condition.message else _as_it_is(condition)


def explained(message: str) -> str:
    """A message about topology in plain words; empty for any other."""
    level = _NO_DOMAINS.search(message)
    if level:
        return f"no node has the label {level['level'].rstrip('.,;')}, so there is no domain of that layer"
    above = _SLICE_ABOVE.search(message)
    if above:
        theirs = above["podset"].rstrip(".,;")
        return f"its slices ask for layer {above['slice']}, which is above layer {theirs} of the whole job: it can't ever start so"
    fit = _NOT_FIT.search(message)
    if not fit:
        return ""
    what = "slices" if fit["what"] == "slice" else "pods"
    if fit["all"]:
        told = f"no domain of topology {fit['topology']} has room for any of its {fit['all']} {what}"
    else:
        told = f"no domain of topology {fit['topology']} has room for more than {fit['some']} of its {fit['of']} {what}"
    return told + _exclusions(message)


def _exclusions(message: str) -> str:
    excluded = _EXCLUDED.search(message)
    if not excluded:
        return f". {STRAYS}"
    found = [_exclusion(each) for each in _EXCLUSION.finditer(excluded["excluded"])]
    if not found:
        return f" ({excluded[0]}). {STRAYS}"
    return f"; of {excluded['total']} nodes {', '.join(found)}. {STRAYS}"


def _exclusion(told: re.Match[str]) -> str:
    kind, name, count = told["kind"], told["name"], told["count"]
    if kind == "taint":
        return f"{count} have the taint {name}, which it does not tolerate"
    if kind == "resource":
        return f"{count} have too little {name} left"
    return f"{count} {_BY_EXCLUSION.get(kind) or f'are left out by {kind}'}"
