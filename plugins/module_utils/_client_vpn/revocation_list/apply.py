# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Imports a CRL."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._core.plan import Step
from ..._core.waits import Waits
from ..mutations import change
from ..pki.values import Crl
from .model import Desired
from .observe import exported


class Applier:
    def __init__(self, ec2: Api, desired: Desired) -> None:
        self._ec2 = ec2
        self._desired = desired
        self._waits = Waits(timeout=desired.wait_timeout, interval=desired.poll_interval)

    def __call__(self, step: Step) -> None:
        """Import the CRL, and wait until the endpoint returns it."""
        desired, crl = self._desired, t.cast(Crl, self._desired.crl)
        arguments = {"ClientVpnEndpointId": desired.endpoint, "CertificateRevocationList": crl.pem}
        change(self._ec2, step.operation, about=desired.resource, waits=self._waits, arguments=arguments)
        self._waits.until(
            lambda: exported(self._ec2, desired),
            done=lambda seen: seen[1] != "pending" and seen[0] is not None and seen[0].content == crl.content,
            subject=f"revocation list of {desired.resource}",
            state=lambda seen: seen[1] or "different from the imported one",
        )
