# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which Pods of a job have run and do not exist any more: their logs are lost, also if a new Pod has taken their name. No I/O."""

from __future__ import annotations

import typing as t

from ..._kubernetes.pod_runner.pods import Pod
from ..._kubernetes.pod_runner.runner import Pods

GONE_SECONDS = 20
"""In which an operator creates a new Pod for one that was deleted."""


class Lives:
    """Remembers each Pod that has run. A Pod of the same name with another UID is another Pod."""

    def __init__(self, now: t.Callable[[], float]) -> None:
        """:param now: Seconds of the clock of the wait."""
        self.now = now
        self._ran: dict[tuple[str, str], Pod] = {}
        """By name and UID."""
        self._since: float | None = None
        """When a Pod was missing first."""
        self.planned: Pod | None = None
        """The Pod that is deleted as planned, so that the containers of all others restart once."""
        self.replaced = False
        """Another Pod ran in its place."""

    def see(self, pods: Pods) -> None:
        """Must be called with each listing of the Pods."""
        started = [pod for pod in pods.values() if pod.started]
        self._ran.update({(pod.name, pod.uid): pod for pod in started})
        others = [pod.name for pod in started if not self._is_planned(pod)]
        self.replaced = self.replaced or (self.planned is not None and self.planned.name in others)
        missing = self.gone(pods)
        self._since = None if not missing else self.now() if self._since is None else self._since

    @property
    def over(self) -> bool:
        """A Pod is gone, and the operator has not replaced it."""
        return self._since is not None and self.now() - self._since >= GONE_SECONDS

    def gone(self, pods: Pods) -> list[Pod]:
        """Those that no Pod has replaced, as they were seen last."""
        return [lost for lost in self._lost(pods) if not any(_replaces(pod, lost) for pod in pods.values())]

    def before(self, pod: Pod, pods: Pods) -> str:
        """Name of a Pod that ran in the place of this one, and was not deleted as planned; empty without one."""
        return next((lost.name for lost in self._lost(pods) if _replaces(pod, lost) and not self._is_planned(lost)), "")

    def planned_restarts(self, pod: Pod) -> int:
        """Of its container."""
        return int(self.planned is not None and pod.name != self.planned.name)

    def disturbed(self, pod: Pod) -> bool:
        """It failed or was restarted, but not as planned."""
        return not self._is_planned(pod) and (pod.failed or pod.restarts > self.planned_restarts(pod))

    def _lost(self, pods: Pods) -> list[Pod]:
        there = {(pod.name, pod.uid) for pod in pods.values()}
        lost = [pod for key, pod in self._ran.items() if key not in there]
        return [pod for pod in lost if not (self.replaced and self._is_planned(pod))]

    def _is_planned(self, pod: Pod) -> bool:
        return self.planned is not None and pod.uid == self.planned.uid


def _replaces(pod: Pod, lost: Pod) -> bool:
    """Some operators keep names, and others the node, since each Pod takes a node as a whole."""
    return pod.name == lost.name or pod.node == lost.node
