# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Attaches a network interface."""

from __future__ import annotations

from ..._aws.client import AwsError
from ..._core.plan import Step
from ..api import HyperPod
from .model import Desired
from .observe import Observer


class Applier:

    def __init__(self, api: HyperPod, desired: Desired, observer: Observer) -> None:
        self.api = api
        self.desired = desired
        self.observer = observer

    def __call__(self, step: Step) -> None:
        try:
            self.api.call(step.operation, about=self.desired.resource, **step.arguments)
        except AwsError:
            if self.observer().holder != self.desired.node_id:  # else the first reply was lost
                raise
