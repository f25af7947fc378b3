# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Ends connections."""

from __future__ import annotations

from ..._aws.client import Api
from ..._core.plan import Step
from ..._core.waits import Waits
from ..mutations import change
from .model import Desired
from .observe import observe


class Applier:
    def __init__(self, ec2: Api, desired: Desired) -> None:
        self._ec2 = ec2
        self._endpoint = desired.endpoint
        self._waits = Waits(timeout=desired.wait_timeout, interval=desired.poll_interval)

    def __call__(self, step: Step) -> None:
        """End one connection, and wait until it carries no traffic."""
        connection = step.arguments["connection"].id
        about = f"connection {connection} of endpoint {self._endpoint}"
        arguments = {"ClientVpnEndpointId": self._endpoint, "ConnectionId": connection}
        change(self._ec2, step.operation, about=about, waits=self._waits, arguments=arguments)
        self._waits.until(
            lambda: connection in [each.id for each in observe(self._ec2, self._endpoint).active],
            done=lambda still: not still,
            subject=about,
            state=lambda still: "active",
        )
