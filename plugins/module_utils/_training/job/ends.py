# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The problems that Kubernetes reports about a job's Pods. No I/O."""

from __future__ import annotations

import typing as t

from ..model import Problem, named
from ..rendezvous import CHECK, failed
from .model import LATE_SECONDS, Desired, PodLog, Ran
from .refused import clause

UNEXPLAINED = ("", "Error")
"""Reasons that add nothing to an exit status other than 0."""
OUT_OF_MEMORY, EVICTED = "OOMKilled", "Evicted"
KILLED = 137
"""The exit status after SIGKILL."""
SHOWN_DIGEST = len("sha256:") + 12
"""The characters of a digest that a message shows."""


def causes(outcome: Ran) -> t.Iterator[Problem]:
    """The problems that made processes fail. The errors that these processes report are only effects."""
    for pod in outcome.pods:
        where = f"Pod {pod.name} on {pod.node}"
        if OUT_OF_MEMORY in pod.reasons:
            text = f"{where} ran out of main memory, and Kubernetes killed its container ({OUT_OF_MEMORY})."
            yield Problem("out-of-memory", f"{text} Use nodes with more memory, or a smaller model with --size in arguments.")
        elif EVICTED in pod.reasons:
            text = f"{where} was evicted: {clause(pod.trouble)}."
            yield Problem("pod-evicted", f"{text} Free the resource that the node lacks, and run again.")
        if pod.before:
            text = f"Pod {pod.before} was deleted after its start, so its log is lost; {where} replaced it."
            yield Problem("pod-recreated", f"{text} Check who deleted the Pod, and the health of the node.")
    if outcome.unreplaced:
        yield Problem("pod-not-recreated", f"{outcome.unreplaced}. Check the operator, and the events of the namespace.")
    elif not any(map(_failed, outcome.pods)):
        yield from _gone(outcome, "Check who deleted or evicted them, and the health of the nodes")


def images(outcome: Ran) -> tuple[str, ...]:
    """The images, one for each digest, because registries may name the same image differently."""
    return tuple(pod.image for pod in _by_digest(outcome).values())


def ends(desired: Desired, outcome: Ran, *, explained: bool, started: bool) -> t.Iterator[Problem]:
    """
    :param explained: whether another problem explains that containers ended with an error.
    :param started: whether a process reported its start.
    """
    for pod in outcome.pods:
        if not {OUT_OF_MEMORY, EVICTED} & {*pod.reasons} and _is_news(pod, explained):
            yield Problem("pod-failed", f"Pod {pod.name} on {pod.node} failed: {_why(pod)}")
    if any(map(_failed, outcome.pods)):
        yield from _gone(outcome, "Some operators delete all Pods after one has failed, so read the log of the failed Pod first")
    if outcome.late:
        yield from _late(desired, outcome, started)
    yield from _differ(outcome)
    yield from _places(desired, outcome)
    for pod in outcome.pods:
        if pod.restarts > pod.planned_restarts:
            text = f"The container of Pod {pod.name} on {pod.node} was restarted (restarts: {pod.restarts})."
            yield Problem("restarted", f"{text} Read the first error in the Pod's log, and its events.")


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
        return f"a process was killed (exit status {KILLED}). Check the node's kernel log for processes that ran out of memory."
    why = f"exit status {pod.status}" if pod.trouble in UNEXPLAINED else clause(pod.trouble)
    return f"{why}. Read the Pod's log and the events of its node."


def _late(desired: Desired, outcome: Ran, started: bool) -> t.Iterator[Problem]:
    there = [pod for pod in outcome.pods if not pod.gone]
    running = [f"{pod.name} on {pod.node}" for pod in [each for each in there if each.status is None] or there]
    if not started and not any(pod.unread for pod in outcome.pods):
        text = f"No process started within {desired.timeout + LATE_SECONDS} s: {named(running)}."
        yield failed(f"{text} Read the logs, and check that {CHECK}.")
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
    """The first Pod that ran each digest, keyed by digest."""
    found: dict[str, PodLog] = {}
    for pod in outcome.pods:
        if pod.image:
            found.setdefault(pod.image.rpartition("@")[2], pod)
    return found


def _places(desired: Desired, outcome: Ran) -> t.Iterator[Problem]:
    """:param outcome: includes the Pods that no longer exist."""
    missing = sorted({*desired.nodes} - {pod.node for pod in outcome.pods})
    if missing or len(outcome.pods) > len(desired.nodes):
        nodes = f"no Pod ran on {named(missing)}" if missing else f"there were {len(outcome.pods)} Pods"
        text = f"Not every node ran exactly one Pod: {nodes}. Check whether Pods share GPUs, and the log of the job's operator."
        yield Problem("rank-on-another-node", text)
