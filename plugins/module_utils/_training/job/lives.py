# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The Pods of a job that ran and no longer exist. Their logs are lost, even if a new Pod has the same name. No I/O."""

from __future__ import annotations

import typing as t

from ..._kubernetes.pod_runner.pods import Pod
from ..._kubernetes.pod_runner.runner import Pods

GONE_SECONDS = 20
"""Seconds within which an operator replaces a deleted Pod."""


class Lives:
    """Remembers each Pod that has run. A Pod with the same name and a different UID is a different Pod."""

    def __init__(self, now: t.Callable[[], float]) -> None:
        """:param now: returns the seconds of the clock that the wait uses."""
        self.now = now
        self._ran: dict[tuple[str, str], Pod] = {}
        """The Pods that have run, keyed by name and UID."""
        self._since: float | None = None
        """The time since which a Pod has been missing; None if no Pod is missing."""
        self.planned: Pod | None = None
        """The Pod that is deleted as planned. The containers of all other Pods then restart once."""
        self.replaced = False
        """Whether another Pod ran in place of ``planned``."""

    def see(self, pods: Pods) -> None:
        """Record the Pods of a read. Must be called with each read."""
        started = [pod for pod in pods.values() if pod.started]
        self._ran.update({(pod.name, pod.uid): pod for pod in started})
        others = [pod.name for pod in started if not self._is_planned(pod)]
        self.replaced = self.replaced or (self.planned is not None and self.planned.name in others)
        missing = self.gone(pods)
        self._since = None if not missing else self.now() if self._since is None else self._since

    @property
    def over(self) -> bool:
        """Whether a Pod no longer exists, and the operator has not replaced it in time."""
        return self._since is not None and self.now() - self._since >= GONE_SECONDS

    def gone(self, pods: Pods) -> list[Pod]:
        """The Pods that no longer exist and that no Pod has replaced, in their last known state."""
        return [lost for lost in self._lost(pods) if not any(_replaces(pod, lost) for pod in pods.values())]

    def before(self, pod: Pod, pods: Pods) -> str:
        """The name of the Pod that this Pod replaced; empty without one, or if that Pod was deleted as planned."""
        return next((lost.name for lost in self._lost(pods) if _replaces(pod, lost) and not self._is_planned(lost)), "")

    def planned_restarts(self, pod: Pod) -> int:
        """The planned restarts of the Pod's container."""
        return int(self.planned is not None and pod.name != self.planned.name)

    def disturbed(self, pod: Pod) -> bool:
        """Whether the Pod failed or was restarted, but not as planned."""
        return not self._is_planned(pod) and (pod.failed or pod.restarts > self.planned_restarts(pod))

    def _lost(self, pods: Pods) -> list[Pod]:
        there = {(pod.name, pod.uid) for pod in pods.values()}
        lost = [pod for key, pod in self._ran.items() if key not in there]
        return [pod for pod in lost if not (self.replaced and self._is_planned(pod))]

    def _is_planned(self, pod: Pod) -> bool:
        return self.planned is not None and pod.uid == self.planned.uid


def _replaces(pod: Pod, lost: Pod) -> bool:
    """Whether ``pod`` replaces ``lost``. A replacement has the same name, or the same node, because each Pod uses a whole node."""
    return pod.name == lost.name or pod.node == lost.node
