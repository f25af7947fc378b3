# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The Pods that did not meet the others, so that processes did not start. No I/O."""

from __future__ import annotations

import typing as t

from .events import PodLog, Start
from .model import RENDEZVOUS_PORT, Desired, Problem, named, numbers

UNMET = "rendezvous-failed"
"""The code of the problem. The problem names the Pods that did not join, but not why their containers may have ended."""
CHECK = f"DNS resolves the name of the first Pod, and that NetworkPolicies and security groups allow port {RENDEZVOUS_PORT}"


def unmet(pods: t.Sequence[PodLog]) -> Problem | None:
    """Why no process started, if the launchers reported it."""
    unreached = [pod for pod in pods if pod.launcher.unreached]
    if unreached:
        address, which = unreached[0].launcher.unreached, named(pod.place.described for pod in unreached)
        return failed(f"No process started, because launchers could not connect to {address}: {which}. Check that {CHECK}.")
    absent = [pod.place.described for pod in pods if not pod.launcher.joined]
    if 0 < len(absent) < len(pods) and all(pod.read for pod in pods):
        text = f"No process started, because some launchers did not join: {named(absent)}."
        return failed(f"{text} Read the logs, and check that {CHECK}.")
    return None


def failed(text: str) -> Problem:
    return Problem(UNMET, text)


def not_started(desired: Desired, ranks: t.Collection[int], pods: t.Sequence[PodLog]) -> Problem:
    """The problem that some ranks did not start.

    :param ranks: the ranks that did not start although others did.
    """
    without = [pod.place.described for pod in pods if not any(isinstance(each, Start) for each in pod.events)]
    which = f"; no rank started in {named(without)}" if without else ""
    text = f"{len(ranks)} of {desired.ranks} ranks did not start: {numbers(ranks)}{which}. Read the logs, and check that {CHECK}."
    return Problem("rank-missing", text)
