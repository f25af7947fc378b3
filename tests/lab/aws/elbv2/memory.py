# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A data path in memory: tests set the replies of targets, and the target group's thresholds determine their health."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from lab.balancer.view import Health, HealthByTarget, LoadBalancerView, TargetGroupView, TargetView


@dataclass
class _Record:
    answers: bool
    since: float
    state: str = "initial"


class MemoryBalancers:
    """Every target accepts connections unless :meth:`answer` changes that."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.views: dict[str, LoadBalancerView] = {}
        self.silent: set[tuple[str, int]] = set()
        self.records: dict[tuple[str, str, int], _Record] = {}

    def answer(self, ip: str, port: int, answers: bool) -> None:
        """Set whether this address accepts connections to the port."""
        with self.lock:
            (self.silent.discard if answers else self.silent.add)((ip, port))

    def sync(self, view: LoadBalancerView) -> None:
        with self.lock:
            self.views[view.arn] = view
            for listener in view.listeners:
                self._probe(listener.target_group)

    def remove(self, arn: str) -> None:
        with self.lock:
            self.views.pop(arn, None)

    def health(self, arn: str, target_group_arn: str) -> HealthByTarget:
        with self.lock:
            groups = [entry.target_group for entry in self.views[arn].listeners] if arn in self.views else []
            for group in groups:
                if group.arn == target_group_arn:
                    return self._probe(group)
            return {}

    def _probe(self, group: TargetGroupView) -> HealthByTarget:
        live = {(group.arn, *target.key) for target in group.targets}
        for key in [key for key in self.records if key[0] == group.arn and key not in live]:
            del self.records[key]
        return {target.key: self._health_of(group, target) for target in group.targets}

    def _health_of(self, group: TargetGroupView, target: TargetView) -> Health:
        now = time.monotonic()
        answers = target.probe_open and (target.ip, target.probe_port) not in self.silent
        record = self.records.setdefault((group.arn, *target.key), _Record(answers, now))
        if record.answers != answers:
            record.answers, record.since = answers, now
        needed = (group.rise if answers else group.fall) * group.interval
        if now - record.since >= needed:
            record.state = "healthy" if answers else "unhealthy"
        return Health(record.state, timeout=not target.probe_open)
