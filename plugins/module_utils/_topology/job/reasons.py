# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a job in Kueue does not run, in plain words. No I/O.

The reasons and messages are those of Kueue 0.12 to 0.20. Unknown ones are shown unchanged.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .layers import in_words
from .model import Condition, FlavorLayers, Workload

RESERVED, ADMITTED, EVICTED, REQUEUED = "QuotaReserved", "Admitted", "Evicted", "Requeued"


@dataclass(frozen=True)
class Why:
    text: str
    step: str
    """The next step, without a full stop."""


WAIT_ON = "Keep waiting: the job stays in its queue and starts automatically"
"""The next step if the user can only wait."""
_TRY_OTHER_PLACES = "Wait until nodes are free, or request a higher layer, preferred_topology, or fewer Pods"
BY_REASON = {
    "NoMatchingFlavor": Why(
        "no ResourceFlavor of the queue has nodes on which the job may run",
        "Fix the job's node selector, affinity and tolerations, or name a queue whose flavors have such nodes",
    ),
    "WaitingForQuota": Why("other jobs use the quota of the queue; this job starts when enough of them have ended", WAIT_ON),
    "ExceedsMaxQuota": Why(
        "the job requests more than the quota of its queue", "Request less, or raise the quota of the team in hyperpod_teams"
    ),
    "TopologyPlacementFailed": Why("no domain of the topology has room for the job", _TRY_OTHER_PLACES),
    "WaitingForPreemptedWorkloads": Why("other jobs that this job preempts are being stopped", WAIT_ON),
    "Misconfigured": Why(
        "the queue is not configured to run the job",
        "Fix the problems in the conditions of its LocalQueue and ClusterQueue, or name a different queue",
    ),
    "Suspended": Why("the job or its queue is suspended", "Set stopPolicy of its LocalQueue and ClusterQueue to None"),
    "PendingEvaluation": Why("Kueue has not evaluated the job yet", WAIT_ON),
    "WaitingForPodsReady": Why("Kueue waits until all Pods of earlier jobs are ready (gang scheduling)", WAIT_ON),
}
"""The reasons of the condition QuotaReserved since Kueue 0.19. Before 0.19, the reason was always Pending."""
BY_EVICTION = {
    "Preempted": Why("another job preempted it", "Wait until there is room again, or give the job a higher priority_class"),
    "PodsReadyTimeout": Why(
        "not all of its Pods were ready in time (gang scheduling; the time includes the pull of the image)",
        "Raise waitForPodsReady.timeout in Kueue's configuration, or make its Pods start faster",
    ),
    "AdmissionCheck": Why("an admission check refused it", "Fix the problem in status.admissionChecks of its Workload"),
    "ClusterQueueStopped": Why("its ClusterQueue was stopped", "Set stopPolicy of its ClusterQueue to None"),
    "LocalQueueStopped": Why("its LocalQueue was stopped", "Set stopPolicy of its LocalQueue to None"),
    "NodeFailures": Why(
        "some of its nodes failed, and no replacement was free", "Replace the failed nodes, or wait until other nodes are free"
    ),
    "Deactivated": Why(
        "it was deactivated and no longer starts automatically", "Set spec.active of its Workload to true, or submit the job again"
    ),
}
PREVIOUSLY = "Previously: "
"""The prefix that Kueue adds to the message of an eviction when it admits the job again."""
_NO_WORKLOAD = Why(
    "Kueue has not created a Workload for the job yet",
    "Keep waiting; if nothing changes, search the log of kueue-controller-manager for the job",
)
_CHECKS = Why("the job's quota is reserved, and admission checks are in progress", WAIT_ON)
_TOPOLOGY = r'topology "(?P<topology>[^"]*)" '
_NOT_FIT = re.compile(
    _TOPOLOGY
    + r"(?:doesn't allow to fit any of (?P<all>\d+)|allows to fit only (?P<some>\d+) out of (?P<of>\d+)) "
    + r"(?P<what>pod|slice)\(s\)"
)
_EXCLUDED = re.compile(r"Total nodes: (?P<total>\d+); excluded: (?P<excluded>.*)")
_EXCLUSION = re.compile(r'(?P<kind>[A-Za-z]+)(?: "(?P<name>[^"]*)")?: (?P<count>\d+)')
_NO_DOMAINS = re.compile(r"no topology domains at level: (?P<level>\S+)")
_TOO_MUCH, _TOO_MUCH_NOW = "> maximum capacity (", "insufficient unused quota"
"""Parts of messages before Kueue 0.19: the request exceeds the maximum of a flavor, or only the quota that is unused now."""
_SLICE_ABOVE = re.compile(r"podset slice topology (?P<slice>\S+) is above the podset topology (?P<podset>\S+)")
_BY_EXCLUSION = {
    "nodeSelector": "do not match the job's node selector",
    "affinity": "do not match the job's affinity",
    "topologyDomain": "are not in the required domain",
    "draNoFit": "lack devices that the job claims",
}
_LABELS = "Add nodes with the missing label, or name a queue whose Topology has layers that the nodes have"
STRAYS = "DaemonSets and Pods without a queue reduce the free capacity of nodes"


def waiting(workload: Workload | None, layers: t.Sequence[FlavorLayers] = ()) -> str:
    """Why the job does not run yet; empty if Kueue has admitted the job."""
    return "; ".join(each.text for each in _whys(workload, layers))


def next_step(workload: Workload | None) -> str:
    """The next step, without a full stop; ``WAIT_ON`` if the user can only wait."""
    return next((each.step for each in _whys(workload) if each.step != WAIT_ON), WAIT_ON)


def lacks_domains(workload: Workload | None) -> bool:
    """Whether Kueue finds no domain of a layer. The labels of the nodes then show the reason."""
    reserved = workload.conditions.get(RESERVED) if workload is not None and not workload.holds(RESERVED) else None
    return reserved is not None and bool(_NO_DOMAINS.search(reserved.message))


def _whys(workload: Workload | None, layers: t.Sequence[FlavorLayers] = ()) -> list[Why]:
    if workload is None:
        return [_NO_WORKLOAD]
    if not workload.active:
        off = BY_EVICTION["Deactivated"]
        return [Why(off.text + _because(workload.conditions.get(EVICTED)), off.step)]
    if workload.holds(ADMITTED):
        return []
    if workload.holds(RESERVED):
        return [_CHECKS]
    reserved = workload.conditions.get(RESERVED)
    found = [] if reserved is None else [_reserved(reserved, layers)]
    if workload.holds(EVICTED):
        before = evicted(workload.conditions[EVICTED])
        found.append(Why(f"the job was evicted before: {before.text}", before.step))
    return [each for each in found if each.text] or [BY_REASON["PendingEvaluation"]]


def came_back(workload: Workload | None) -> str:
    """Why a job that Kueue has admitted again was evicted, as a text that follows the job's name; empty for other jobs."""
    if workload is None or not workload.holds(ADMITTED) or EVICTED not in workload.conditions:
        return ""
    return f"has been admitted again after an eviction: {_before(workload, workload.conditions[EVICTED])}"


def _before(workload: Workload, condition: Condition) -> str:
    """Why the job was evicted. At a new admission, Kueue moves the reason to the condition Requeued or to ``schedulingStats``."""
    requeued = workload.conditions.get(REQUEUED)
    reasons = [requeued.reason] if requeued and _by_eviction(requeued.reason) else workload.evictions
    if condition.status == "True":
        reasons = [condition.reason]
    causes = ", and ".join(map(_past, reasons))
    message = condition.message.removeprefix(PREVIOUSLY).rstrip(".")
    return f"{causes} ({message})" if causes and message else causes or message or "no reason is reported"


def _past(reason: str) -> str:
    known = _by_eviction(reason)
    if known is None:
        return reason
    return "it was deactivated" if known is BY_EVICTION["Deactivated"] else known.text


def _by_eviction(reason: str) -> Why | None:
    return BY_EVICTION["Deactivated"] if reason.startswith("Deactivated") else BY_EVICTION.get(reason)


def evicted(condition: Condition) -> Why:
    known = _by_eviction(condition.reason)
    return _with_message(known, condition.message) if known else Why(_as_it_is(condition), WAIT_ON)


def _with_message(why: Why, message: str) -> Why:
    return Why(f"{why.text} ({message})", why.step) if message else why


def _because(condition: Condition | None) -> str:
    return f" ({_as_it_is(condition)})" if condition is not None and _as_it_is(condition) else ""


def _as_it_is(condition: Condition) -> str:
    return ": ".join(filter(None, (condition.reason, condition.message)))


def _reserved(condition: Condition, layers: t.Sequence[FlavorLayers]) -> Why:
    plain = explained(condition.message, layers)
    if plain:
        return Why(f"{plain.text}. Kueue: {condition.message.rstrip('.')}", plain.step)
    known = BY_REASON.get(condition.reason)
    if known:
        return _with_message(known, condition.message)
    if condition.reason != "Pending" or not condition.message:
        return Why(_as_it_is(condition), WAIT_ON)
    never = _TOO_MUCH in condition.message and _TOO_MUCH_NOW not in condition.message
    return Why(condition.message, BY_REASON["ExceedsMaxQuota"].step if never else WAIT_ON)


def explained(message: str, layers: t.Sequence[FlavorLayers] = ()) -> Why | None:
    """A message about topology in plain words; None for other messages."""
    level = _NO_DOMAINS.search(message)
    if level:
        return Why(in_words(layers, level["level"].rstrip(".,;")), _LABELS)
    above = _SLICE_ABOVE.search(message)
    if above:
        whole = above["podset"].rstrip(".,;")
        text = f"its slices request layer {above['slice']}, which is above the job's layer {whole}, so the job can never start"
        return Why(text, f"Request slices of layer {whole}, or of a lower one")
    fit = _NOT_FIT.search(message)
    if not fit:
        return None
    what = "slices" if fit["what"] == "slice" else "Pods"
    if fit["all"]:
        lacks = f"no domain of topology {fit['topology']} has room for any of its {fit['all']} {what}"
    else:
        lacks = f"no domain of topology {fit['topology']} has room for more than {fit['some']} of its {fit['of']} {what}"
    return Why(lacks + _exclusions(message), _TRY_OTHER_PLACES)


def _exclusions(message: str) -> str:
    excluded = _EXCLUDED.search(message)
    if not excluded:
        return f". {STRAYS}"
    found = [_exclusion(each) for each in _EXCLUSION.finditer(excluded["excluded"])]
    if not found:
        return f" ({excluded[0]}). {STRAYS}"
    return f"; of {excluded['total']} nodes, {', '.join(found)}. {STRAYS}"


def _exclusion(match: re.Match[str]) -> str:
    kind, name, count = match["kind"], match["name"], match["count"]
    if kind == "taint":
        return f"{count} have the taint {name}, which the job does not tolerate"
    if kind == "resource":
        return f"{count} have too little {name} left"
    return f"{count} {_BY_EXCLUSION.get(kind) or f'are excluded by {kind}'}"
