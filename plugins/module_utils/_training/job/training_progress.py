# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The progress of the training, from the ends of the Pods' logs. It is only shown, and does not affect the verdict."""

from __future__ import annotations

import json
import typing as t

from ..._kubernetes.client import KubernetesError
from ..._kubernetes.pod_runner.pods import Pod
from ..._kubernetes.pod_runner.runner import PodRunner, Pods

LINES, BYTES = 200, 256 * 1024
"""The size of the part that is read from the end of a log."""
LONGEST = 100
"""The maximum length of a text, in characters."""
EVENT = "mlfleet_training"


class Progressed:
    """Each call of ``text`` reads the log of one Pod: of each Pod in turn, and after a Pod has printed a step, only of that Pod."""

    def __init__(self, runner: PodRunner, container: str) -> None:
        self.runner = runner
        self.container = container
        self._shown = self._prints = ""
        self._turn = 0

    def text(self, pods: Pods) -> str:
        """The progress, such as ``, step 12, loss 3.21, 51200 tokens/s``; the last known one if no newer one can be read."""
        running = sorted((pod for pod in pods.values() if pod.started and not pod.over), key=lambda pod: pod.name)
        if running:
            pod = next((each for each in running if each.name == self._prints), running[self._turn % len(running)])
            self._turn += 1
            self._read(pod)
        return self._shown

    def _read(self, pod: Pod) -> None:
        try:
            log = self.runner.log(pod, self.container, BYTES, lines=LINES)
        except KubernetesError:
            return
        found = last_step(log)
        if found:
            self._prints, self._shown = pod.name, found


def waits(log: str) -> bool:
    """Whether a process waits to be ended."""
    return any(line.startswith(_begin("held")) for line in log.split("\n"))


def last_step(log: str) -> str:
    """The progress from the last line that reports a step; empty without such a line."""
    for line in reversed(log.split("\n")):
        if not line.startswith(_begin("step")):
            continue
        try:
            given = json.loads(line)
            return f", step {int(given['step'])}, loss {float(given['loss']):.3g}{_rate(given)}"[:LONGEST]
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
    return ""


def _rate(given: t.Mapping[str, t.Any]) -> str:
    """The rate of a step; empty if the line does not contain it."""
    tokens, seconds = given.get("tokens"), given.get("seconds")
    return f", {float(tokens) / float(seconds):.0f} tokens/s" if tokens and seconds else ""


def _begin(event: str) -> str:
    """The beginning of a line with this event."""
    return f'{{"{EVENT}": "{event}"'
