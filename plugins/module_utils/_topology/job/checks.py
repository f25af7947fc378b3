# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks that a cluster meets a job's requirements, before the job is submitted. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.text import printable
from .allowed_rights import TEAM
from .model import Facts, PodSet, Rendered

HELD = ("Hold", "HoldAndDrain")


def check(job: Rendered, facts: Facts) -> tuple[str, ...]:
    """Sentences about skipped checks, and about reasons why the job will wait.

    :raises Refused: for the first missing requirement without which the job would not be queued or placed as requested.
    """
    _check_namespace(job, facts)
    _check_kind(job, facts)
    notes = list(_queue(job, facts))
    _check_priority(job, facts)
    notes += _framework(job, facts)
    _check_topology(job, facts)
    unseen = (f"{each} could not be read, so a check was skipped." for each in facts.unseen)
    return (*notes, *unseen)


def _check_namespace(job: Rendered, facts: Facts) -> None:
    if facts.namespace == "missing":
        team = job.namespace.startswith(TEAM)
        how = "Task governance creates it with the compute quota of a team." if team else "Create it, or name a different one."
        raise Refused(f"namespace: {job.namespace} does not exist. {how}", option="namespace")
    if facts.namespace == "leaving":
        raise Refused(f"namespace: {job.namespace} is being deleted. Name a different one.", option="namespace")


def _check_kind(job: Rendered, facts: Facts) -> None:
    if not facts.kind_served:
        raise Refused(
            f"The API server has no kind {job.kind.name} of {job.kind.api_version}. Install the operator that provides it, and run "
            "again."
        )
    if not facts.kueue:
        raise Refused(
            "Kueue is not installed, so nothing queues and places the job. Install HyperPod's task governance add-on and run again."
        )


def _queue(job: Rendered, facts: Facts) -> t.Iterator[str]:
    names = ", ".join(facts.queues) or "none exists"
    if not job.queue:
        why = "Kueue ignores a job without a LocalQueue"
        raise Refused(f"queue: missing; {why}. LocalQueues of {job.namespace}: {names}.", option="queue")
    if facts.local_queue is None:
        if any("LocalQueue" in each for each in facts.unseen):
            return
        refuse_option("queue", job.queue, f"a LocalQueue of {job.namespace}: {names}")
    stopped = (facts.local_queue.get("spec") or {}).get("stopPolicy")
    if stopped in HELD:
        problem = f"LocalQueue {job.queue} is stopped ({stopped}), so the job would wait forever"
        raise Refused(f"queue: {problem}. Start the LocalQueue, or name a different one.", option="queue")
    of_cluster = ((facts.cluster_queue or {}).get("spec") or {}).get("stopPolicy")
    if of_cluster in HELD:
        name = printable((facts.local_queue.get("spec") or {}).get("clusterQueue"))
        problem = f"ClusterQueue {name} of {job.queue} is stopped ({of_cluster}), so the job would wait forever"
        raise Refused(f"queue: {problem}. Start the ClusterQueue, or name a different LocalQueue.", option="queue")
    for each in (facts.local_queue.get("status") or {}).get("conditions") or ():
        if each.get("type") == "Active" and each.get("status") == "False":
            why = printable(each.get("message") or each.get("reason") or "no reason is reported")
            yield f"LocalQueue {job.queue} is not active ({why}), so the job waits until the queue is active."


def _check_priority(job: Rendered, facts: Facts) -> None:
    if job.priority and facts.priorities is not None and job.priority not in facts.priorities:
        names = ", ".join(facts.priorities) or "no value, because no WorkloadPriorityClass exists"
        refuse_option("priority_class", job.priority, names)


def _framework(job: Rendered, facts: Facts) -> t.Iterator[str]:
    if facts.frameworks is None:
        return
    if job.kind.external:
        if not any(job.kind.name.lower() in each.lower() for each in facts.frameworks):
            yield (
                f"Kueue's configuration does not name {job.kind.name}. AWS's build of Kueue may still manage this kind. If the job "
                "runs without a Workload, Kueue does not manage the kind."
            )
        return
    if job.kind.framework not in facts.frameworks:
        raise Refused(
            f"Kueue does not manage kind {job.kind.name} in this cluster, so the job would run on any nodes and without a queue: "
            f"{job.kind.framework} is not in integrations.frameworks of ConfigMap kueue-manager-config "
            f"({', '.join(facts.frameworks) or 'empty'}). By default, Kueue 0.19 and newer omit most kinds of the training "
            f"operator. Add {job.kind.framework} and restart kueue-controller-manager, or submit a TrainJob, a JobSet or a Job."
        )


def _check_topology(job: Rendered, facts: Facts) -> None:
    wished = [each for each in job.podsets if each.wish]
    if not wished:
        return
    aware = facts.topology_aware
    if aware is not None and not aware.on:
        raise Refused(
            f"Kueue does not schedule by topology in this cluster: {aware.why}. Turn on feature gate TopologyAwareScheduling in "
            "ConfigMap kueue-manager-config, or submit the job without a topology. With managed Karpenter, this gate must be off."
        )
    if facts.flavors is None:
        return
    named = sorted({name for name in facts.flavors.values() if name})
    if not named:
        flavors = ", ".join(sorted(facts.flavors)) or "none"
        raise Refused(
            f"queue: no ResourceFlavor of {job.queue} names a Topology (flavors: {flavors}), so the queue can't place jobs by "
            "topology. Name a different queue, or submit the job without a topology.",
            option="queue",
        )
    if facts.levels is None:
        return
    for podset in wished:
        _check_levels(podset, [facts.levels.get(name, ()) for name in named])


def _check_levels(podset: PodSet, topologies: t.Sequence[tuple[str, ...]]) -> None:
    """Check that the Topology of at least one flavor has the requested levels. One is enough, because Kueue tries all flavors."""
    wish = podset.wish
    for option, level in ((f"{wish.mode}_topology", wish.level), ("slice_topology", wish.slice_level)):
        if level and not any(level in levels for levels in topologies):
            known = list(dict.fromkeys(each for levels in topologies for each in levels))
            layers = ", ".join(map(printable, known)) or "none, because the Topology does not exist"
            refuse_option(option, level, f"a level of the Topology of the queue: {layers}")
    if wish.level and wish.slice_level:
        if not any(_within(wish.level, wish.slice_level, levels) for levels in topologies):
            why = f"this level is above {wish.level}, the level of the whole job"
            refuse_option("slice_topology", wish.slice_level, f"{wish.level} or a level below it", why)


def _within(outer: str, inner: str, levels: t.Sequence[str]) -> bool:
    return outer in levels and inner in levels and levels.index(inner) >= levels.index(outer)
