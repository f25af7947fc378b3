# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Problems that Kubernetes reports of a job's Pods. Pure."""

from __future__ import annotations

import typing as t

from ..model import Problem, named
from ..rendezvous import CHECK, failed
from .model import LATE_SECONDS, Desired, PodLog, Ran
from .refused import clause

UNEXPLAINED = ("", "Error")
"""Reasons of Kubernetes for a container that ended with an exit status other than 0."""
OUT_OF_MEMORY, EVICTED = "OOMKilled", "Evicted"
KILLED = 137
"""Exit status after SIGKILL."""
SHOWN_DIGEST = len("sha256:") + 12
"""Characters."""


def causes(outcome: Ran) -> t.Iterator[Problem]:
    """What made the processes fail, so that their own reports are no more than its effects."""
    for pod in outcome.pods:
        where = f"Pod {pod.name} on {pod.node}"
        if OUT_OF_MEMORY in pod.reasons:
            text = f"{where} ran out of main memory, and Kubernetes killed its container ({OUT_OF_MEMORY})."
            yield Problem("out-of-memory", f"{text} Use nodes with more memory, or a smaller model with --size in arguments.")
        elif EVICTED in pod.reasons:
            yield Problem("pod-evicted", f"{where} was evicted: {clause(pod.trouble)}. Free what the node lacks, and run again.")
        if pod.before:
            text = f"{where} replaced Pod {pod.before}, which was deleted after its start, so its first log is lost."
            yield Problem("pod-recreated", f"{text} Check who deleted it, and the health of the node.")
    if outcome.unreplaced:
        yield Problem("pod-not-recreated", f"{outcome.unreplaced}. Check the operator, and the events of the namespace.")
    elif not any(map(_failed, outcome.pods)):
        yield from _gone(outcome, "Check who deleted or evicted them, and the health of the nodes")


def images(outcome: Ran) -> tuple[str, ...]:
    """One for each digest, since registries may name the same image differently."""
    return tuple(pod.image for pod in _by_digest(outcome).values())


def ends(desired: Desired, outcome: Ran, *, explained: bool, started: bool) -> t.Iterator[Problem]:
    """
    :param explained: something else explains that containers ended with an error.
    :param started: a process reported its start.
    """
    for pod in outcome.pods:
        if not {OUT_OF_MEMORY, EVICTED} & {*pod.reasons} and _is_news(pod, explained):
            yield Problem("pod-failed", f"Pod {pod.name} on {pod.node} failed: {_why(pod)}")
    if any(map(_failed, outcome.pods)):
        yield from _gone(outcome, "Some operators do so after another Pod has failed: read the log of that one first")
    if outcome.late:
        yield from _late(desired, outcome, started)
    yield from _differ(outcome)
    yield from _places(desired, outcome)
    for pod in outcome.pods:
        if pod.restarts > pod.planned_restarts:
            text = f"The container of Pod {pod.name} on {pod.node} was restarted (restarts: {pod.restarts})."
            yield Problem("restarted", f"{text} Read the first error in its log, and the events of the Pod.")


def _failed(pod: PodLog) -> bool:
    return bool(pod.trouble or pod.status)


def _gone(outcome: Ran, step: str) -> t.Iterator[Problem]:
    gone = [f"{pod.name} on {pod.node}" for pod in outcome.pods if pod.gone]
    if gone:
        yield Problem("pod-gone", f"Pods were deleted during the training: {named(gone)}. {step}.")


def _is_news(pod: PodLog, explained: bool) -> bool:
    return pod.trouble not in UNEXPLAINED or (not explained and _failed(pod))


def _why(pod: PodLog) -> str:
    if pod.status == KILLED and pod.trouble in UNEXPLAINED:
        return f"it was killed (exit status {KILLED}). Check the kernel log of the node for processes that were out of memory."
    why = f"exit status {pod.status}" if pod.trouble in UNEXPLAINED else clause(pod.trouble)
    return f"{why}. Read its log and the events of its node."


def _late(desired: Desired, outcome: Ran, started: bool) -> t.Iterator[Problem]:
    there = [pod for pod in outcome.pods if not pod.gone]
    running = [f"{pod.name} on {pod.node}" for pod in [each for each in there if each.status is None] or there]
    if not started and not any(pod.unread for pod in outcome.pods):
        text = f"No process started in {desired.timeout + LATE_SECONDS} s: {named(running)}. Read the logs, and check that {CHECK}."
        yield failed(text)
    else:
        text = f"Not all Pods had finished after {desired.timeout} s: {named(running)}."
        yield Problem("deadline", f"{text} Check the ranks that are behind, or raise timeout.")


def _differ(outcome: Ran) -> t.Iterator[Problem]:
    found = _by_digest(outcome)
    if len(found) > 1:
        shown = named(f"{digest[:SHOWN_DIGEST]} on {pod.node}" for digest, pod in found.items())
        text = f"Nodes ran different images under one name: {shown}. Name the image by its digest."
        yield Problem("images-differ", text)


def _by_digest(outcome: Ran) -> dict[str, PodLog]:
    """The first Pod that ran each."""
    found: dict[str, PodLog] = {}
    for pod in outcome.pods:
        if pod.image:
            found.setdefault(pod.image.rpartition("@")[2], pod)
    return found


def _places(desired: Desired, outcome: Ran) -> t.Iterator[Problem]:
    """:param outcome: with Pods that are gone."""
    missing = sorted({*desired.nodes} - {pod.node for pod in outcome.pods})
    if missing or len(outcome.pods) > len(desired.nodes):
        nodes = f"no Pod ran on {named(missing)}" if missing else f"there were {len(outcome.pods)} Pods"
        text = f"Not every node ran one Pod: {nodes}. Check whether its GPUs are shared, and the operator."
        yield Problem("rank-on-another-node", text)
