# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Calls StartClusterHealthCheck, and waits until its operation has ended. AWS reboots or replaces nodes that fail.

The checks begin minutes after the call, so a running node may not have been checked yet. The wait therefore
also requires that AWS's operation has ended.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.plan import Step
from ..._core.waits import Waits, repeated
from ..api import HyperPod
from ..cluster_nodes.model import State
from ..cluster_nodes.observe import Observer, progress_of
from ..statuses import CHECKING, FAILED_NODE, OPERATION, RUNNING
from ..waits import LAGGING
from .model import Check
from .operations import Operations
from .plan import checked


@dataclass(frozen=True)
class Seen:
    """The nodes, and the status of the operation, which is empty while AWS lists none."""

    state: State
    operation: str

    def __str__(self) -> str:
        listed = f"the deep health check is {self.operation}"
        return f"{progress_of(self.state)}, {listed if self.operation else 'AWS lists no operation for the deep health check yet'}"


class Applier:
    """Applies the step. If ``observer`` waits, it then waits until all checks have ended and their groups are complete again."""

    def __init__(self, api: HyperPod, checks: t.Sequence[Check], observer: Observer) -> None:
        self.api = api
        self.checks = checks
        self.observer = observer

    def __call__(self, step: Step) -> None:
        if self.observer.waits is None:
            self._start(step)
            return
        before = self.observer.look()
        operations = Operations(self.api, self.observer.cluster_arn, self.checks)
        self._start(step)
        self._wait(self.observer.waits, before, operations)

    def _start(self, step: Step) -> None:
        self.api.call(step.operation, about=f"cluster {self.observer.cluster_arn}", **step.arguments)

    def _wait(self, waits: Waits, before: State, operations: Operations) -> None:
        """:raises WaitFailed: if a later operation superseded this one."""

        def superseded(seen: Seen) -> str | None:
            return "a later operation superseded the check; run again" if seen.operation in OPERATION.failed else None

        waits.until(
            lambda: Seen(self.observer.look(), operations.status()),
            done=self._ended(before),
            failed=repeated(superseded),
            subject=f"cluster {self.observer.cluster_arn}",
            state=str,
        )

    def _ended(self, before: State) -> t.Callable[[Seen], bool]:
        ids, groups = checked(self.checks, before), {check.group for check in self.checks}
        broken = before.failed - ids
        checking: set[str] = set()

        def calm(seen: Seen) -> bool:
            nodes = [node for node in seen.state.nodes if node.group in groups]
            checking.update(node.instance_id for node in nodes if node.status == CHECKING)
            run = all(node.status == RUNNING or (node.status == FAILED_NODE and node.instance_id in broken) for node in nodes)
            return seen.operation in OPERATION.settled and run and seen.state.is_whole(groups, failed_before=broken)

        still = repeated(calm, LAGGING)
        return lambda seen: bool(still(seen)) or (calm(seen) and checking.issuperset(ids))
