# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of a volume: makes the call, then waits until EC2 reports the volume as attached or detached."""

from __future__ import annotations

from ..._aws.client import AwsError
from ..._core.plan import Step
from ..api import HyperPod
from .model import ATTACHED, DETACHING, Desired, State
from .observe import Observer


class Applier:
    """Applies the step. If ``observer`` waits, it then waits until the step has ended."""

    def __init__(self, api: HyperPod, desired: Desired, observer: Observer) -> None:
        self.api = api
        self.desired = desired
        self.observer = observer

    def __call__(self, step: Step) -> None:
        try:
            self.api.call(step.operation, about=self.desired.resource, **step.arguments)
        except AwsError:
            if not self._begun(self.observer.look()):
                raise
            # The first reply was lost, and botocore's second call found the change in progress.
        self.observer.until(self._ended)

    def _begun(self, state: State) -> bool:
        attachment = state.attachment
        here = attachment is not None and attachment.holder == self.desired.node_id
        return here if self.desired.present else not here or (attachment is not None and attachment.status == DETACHING)

    def _ended(self, state: State) -> bool:
        attachment = state.attachment
        here = attachment is not None and attachment.holder == self.desired.node_id
        return here and attachment is not None and attachment.status == ATTACHED if self.desired.present else not here
