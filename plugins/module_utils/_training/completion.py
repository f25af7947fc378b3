# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether a training job finished on the intended Pods, and why not. No I/O."""

from __future__ import annotations

import typing as t

from .events import Deadline, Ended, PodLog
from .history import Failure, History
from .model import Desired, Problem, named, numbers
from .rendezvous import not_started


def logs(desired: Desired, pods: t.Sequence[PodLog]) -> t.Iterator[Problem]:
    unread = sorted(pod.place.pod for pod in pods if not pod.read)
    if unread:
        text = f"Logs of {len(unread)} of {desired.nodes} Pods could not be read: {named(unread)}."
        text = f"{text} Check the permission to read logs, and whether the Pods still exist."
        yield Problem("log-not-read", text)
    for pod in pods:
        if pod.malformed or pod.dropped:
            text = f"Pod {pod.place.pod} logged {pod.malformed} invalid and {pod.dropped} surplus events. Read the Pod's log."
            yield Problem("log-incomplete", text)


def places(seen: History, pods: t.Sequence[PodLog]) -> t.Iterator[Problem]:
    code = "rank-on-another-node"
    for pod in pods:
        if pod.foreign:
            text = f"Pod {pod.place.pod} reported another node's ranks: {numbers(pod.foreign)}. Check the launcher's node numbers."
            yield Problem(code, text)
    if seen.shared:
        text = f"Two Pods reported the same ranks: {numbers(seen.shared)}. Check that only one job uses the rendezvous."
        yield Problem(code, text)


def completion(desired: Desired, seen: History, pods: t.Sequence[PodLog]) -> list[Problem]:
    """Why the job did not finish; empty if all ranks with a log ended."""
    missing = set(range(desired.ranks)) - set(seen.starts)
    silent = set(seen.starts) - set(seen.ends) - {each.rank for each in seen.failures}
    proven = [each for each in seen.failures if not isinstance(each, Ended)]
    found = [_failure(proven[0])] if proven else []
    if missing and all(pod.read for pod in pods):
        found.insert(len(found) if seen.ready else 0, not_started(desired, missing, pods))  # without these ranks, no rank joins
    if silent and not proven:
        text = f"Ranks stopped without an error: {numbers(silent)}. Check whether their containers ran out of memory."
        found.append(Problem("rank-missing", text))
    return found or [_failure(each) for each in seen.failures[:1]]


def _failure(failure: Failure) -> Problem:
    where = f"Rank {failure.rank}, phase {failure.phase or 'unknown'}, step {failure.step}"
    if isinstance(failure, Deadline):
        step = "the ranks that are behind, and the network"
        if failure.phase == "join":
            step = "that NetworkPolicies and security groups allow all traffic between the nodes"
        return Problem("deadline", f"{where}: the job did not finish within {failure.seconds:g} s. Check {step}.")
    if isinstance(failure, Ended):
        return Problem("ended", f"{where}: signal {failure.signal} ended the process. Check who deleted or evicted the Pod.")
    if (failure.phase, failure.type) == ("share", "FileNotFoundError"):
        return Problem("storage-not-shared", f"{where}: the checkpoint of rank 0 is not visible. Use storage that all nodes share.")
    message = failure.message.rstrip(". ").replace(". ", "; ")
    return Problem("program-error", f"{where}: {failure.type}: {message}. Read the log of the rank's Pod.")
