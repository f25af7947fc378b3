# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Calls StartClusterHealthCheck, and waits until no node is checked any more; those that failed AWS reboots or replaces."""

from __future__ import annotations

import typing as t

from ..._core.plan import Step
from ..._core.waits import repeated
from ..api import HyperPod
from ..cluster_nodes.model import RUNNING, State
from ..cluster_nodes.observe import Observer
from ..waits import LAGGING
from .model import CHECKING, Check
from .plan import checked


class Applier:
    """Applies the step; where ``observer`` waits, until all checks have ended and their groups are whole again."""

    def __init__(self, api: HyperPod, checks: t.Sequence[Check], observer: Observer) -> None:
        self.api = api
        self.checks = checks
        self.observer = observer

    def __call__(self, step: Step) -> None:
        before = checked(self.checks, self.observer.look())
        self.api.call(step.operation, about=f"cluster {self.observer.cluster_arn}", **step.arguments)
        self.observer.until(self._ended(before))

    def _ended(self, ids: frozenset[str]) -> t.Callable[[State], bool]:
        groups = {check.group for check in self.checks}
        seen: set[str] = set()

        def calm(state: State) -> bool:
            nodes = [node for node in state.nodes if node.group in groups]
            seen.update(node.instance_id for node in nodes if node.status == CHECKING)
            return all(node.status == RUNNING for node in nodes) and all(
                group.at_target_size for group in state.cluster.groups if group.name in groups
            )

        still = repeated(calm, LAGGING)
        return lambda state: bool(still(state)) or (calm(state) and seen.issuperset(ids))
