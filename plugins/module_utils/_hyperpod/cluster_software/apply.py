# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Calls UpdateClusterSoftware, and waits until each group has the new software or AWS has rolled the update back.

AWS returns only the status of a group's last update, which stays until the next update begins. So a status counts once the new
update was seen in progress, or once AWS has returned the same status repeatedly.
"""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.failure import Failure, LostRace
from ..._core.plan import Step
from ..._core.waits import repeated
from ..api import BUSY, HyperPod
from ..cluster.events import failures
from ..statuses import SOFTWARE_UPDATE
from ..waits import LAGGING
from .model import Desired, State
from .observe import Observer
from .plan import due


class Applier:
    """Applies the step. If ``observer`` waits, it then waits until the update has ended."""

    def __init__(self, api: HyperPod, desired: Desired, observer: Observer) -> None:
        self.api = api
        self.desired = desired
        self.observer = observer

    def __call__(self, step: Step) -> None:
        overtaken = self._overtaken(step)
        final = self.observer.until(self._ended())
        if self.observer.waits is None:
            return
        names = [each["InstanceGroupName"] for each in step.arguments["InstanceGroups"]]
        broken = [final.groups[name] for name in names if final.groups[name].update_status in SOFTWARE_UPDATE.failed]
        if broken:
            states = [f"group {group.name} is {group.update_status}" for group in broken]
            why = "; ".join([*states, *failures(self.api, final.cluster.arn)])
            what = f"AWS rolled back the software update of cluster {final.cluster.name}"
            raise Failure(f"{what}: {why}. Fix the cause and run again.")
        if overtaken and due(self.desired, final):
            raise LostRace  # a concurrent update: observe and plan again

    def _ended(self) -> t.Callable[[State], bool]:
        settled = self.observer.settled
        calm = repeated(settled, LAGGING)
        seen: list[State] = []

        def ended(state: State) -> bool:
            if not settled(state):
                seen.append(state)
            return bool(calm(state)) or (bool(seen) and settled(state))

        return ended

    def _overtaken(self, step: Step) -> bool:
        """Make the call. True if AWS is already changing the cluster, possibly because of our own call whose reply was lost."""
        try:
            self.api.call(step.operation, about=f"cluster {self.desired.cluster_arn}", **step.arguments)
        except AwsError as error:
            if error.code != BUSY or self.observer.waits is None:
                raise
            return True
        return False
