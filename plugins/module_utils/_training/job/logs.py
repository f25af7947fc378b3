# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The logs of a job's Pods, and what Kubernetes reports of these Pods."""

from __future__ import annotations

from ..._kubernetes.client import KubernetesError
from ..._kubernetes.patience import answer
from ..._kubernetes.pod_runner.pods import Pod
from ..._kubernetes.pod_runner.runner import PodRunner, Pods
from .lives import Lives
from .model import PodLog

ALL, LARGEST = 64 * 2**20, 8 * 2**20
"""Limits in bytes: of all logs together, and of one log."""
END_LINES = 500
"""The lines that are read from the end of a log that exceeds its limit."""
GONE = "the Pod no longer exists"


class Logs:
    """:param container: the name of the container that trains."""

    def __init__(self, runner: PodRunner, container: str) -> None:
        self.runner = runner
        self.container = container
        self._kept: dict[str, str] = {}
        """The logs of Pods that are deleted as planned, keyed by name."""

    def keep(self, pod: Pod, count: int) -> None:
        """Keep the log of a Pod that will be deleted.

        :param count: the number of all Pods.
        :raises KubernetesError: if the log could not be read.
        """
        self._kept[pod.name] = self._text(pod, _most(count)) + "\n"

    def __call__(self, pods: Pods, lives: Lives) -> tuple[PodLog, ...]:
        """The logs of all Pods, and then of the Pods that ran and no longer exist."""
        found = [self._of(pod, pods, lives) for pod in pods.values()]
        return (*found, *(self._gone(pod) for pod in lives.gone(pods)))

    def _of(self, pod: Pod, pods: Pods, lives: Lives) -> PodLog:
        text, unread = self._kept.get(pod.name, ""), ""
        try:
            text += self._text(pod, _most(len(pods)))
        except KubernetesError as error:
            unread = str(error)
        return PodLog(
            name=pod.name,
            node=pod.node,
            text=text,
            status=pod.status,
            trouble=pod.trouble if pod.failed else "",
            unread=unread,
            restarts=pod.restarts,
            planned_restarts=lives.planned_restarts(pod),
            reasons=pod.reasons,
            image=pod.images.get(self.container, ""),
            before=lives.before(pod, pods),
        )

    def _gone(self, pod: Pod) -> PodLog:
        image = pod.images.get(self.container, "")
        return PodLog(pod.name, pod.node, "", None, unread=GONE, reasons=pod.reasons, image=image, gone=True)

    def _text(self, pod: Pod, most: int) -> str:
        """The log, preceded by the log before the last restart if Kubernetes still has it; empty if the container never ran."""
        if not pod.started:
            return ""
        before = ""
        if pod.restarts:
            try:
                before = self.runner.log(pod, self.container, most, previous=True) + "\n"
            except KubernetesError:
                before = ""
        return before + self._last(pod, most)

    def _last(self, pod: Pod, most: int) -> str:
        """The log of the last start; if it is too long, its beginning and its end."""
        begin = answer(lambda: self.runner.log(pod, self.container, most), self.runner.clock)
        if len(begin.encode()) < most:
            return begin
        end = answer(lambda: self.runner.log(pod, self.container, most, lines=END_LINES), self.runner.clock)
        return f"{begin}\n{end}"


def _most(count: int) -> int:
    """The maximum size of a log in bytes, if there are ``count`` Pods."""
    return min(LARGEST, ALL // count)
