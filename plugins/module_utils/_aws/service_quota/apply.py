# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Requests a higher quota, once."""

from __future__ import annotations

from ..._core.plan import Step
from ..client import AwsError
from .api import ServiceQuotas
from .model import Desired

ASKED = "ResourceAlreadyExistsException"


class Applier:
    """Executes the step of the plan."""

    def __init__(self, api: ServiceQuotas, desired: Desired) -> None:
        self.api = api
        self.desired = desired

    def __call__(self, step: Step) -> None:
        try:
            self.api.call(step.operation, about=f"quota {self.desired.name}", **step.arguments)
        except AwsError as error:
            if error.code != ASKED:  # else the first reply was lost, or another run was faster
                raise
