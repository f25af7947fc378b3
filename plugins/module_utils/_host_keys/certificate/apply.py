# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Signs the certificates that are due."""

from __future__ import annotations

from ..._core.failure import Refused
from ..._core.plan import Step
from .model import Certificates, Desired
from .signing import authority_key, sign


class Applier:
    """``certificates`` has the given certificates, and later also the new ones."""

    def __init__(self, desired: Desired, given: Certificates, *, private_key: str | None) -> None:
        self._desired = desired
        self._private_key = private_key
        self.certificates = dict(given)

    def __call__(self, step: Step) -> None:
        if not self._private_key:
            raise Refused("private_key: missing; it is required to sign certificates.")
        key = step.arguments["key"]
        private = authority_key(self._private_key, self._desired.authority)
        self.certificates[key] = sign(self._desired, key, private)
