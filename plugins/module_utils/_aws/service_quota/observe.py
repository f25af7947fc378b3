# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a quota and the open requests to increase it."""

from __future__ import annotations

from .api import ServiceQuotas
from .model import Desired, State


class Observer:
    """Reads one quota by its name."""

    def __init__(self, api: ServiceQuotas, desired: Desired) -> None:
        self.api = api
        self.desired = desired

    def __call__(self) -> State:
        quota = self.api.named(self.desired.service, [self.desired.name]).get(self.desired.name)
        return State(quota, self.api.pending(quota) if quota is not None else None)
