# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the secret of the server certificate, and its certificates in ACM."""

from __future__ import annotations

from ..._aws.secrets import Secrets
from ..pki.contents import recorded_arn
from ..pki.crypto import read_certificate
from .api import Acm
from .model import Desired, Imported, State
from .secret import authorities, chain, pair


class Observer:
    def __init__(self, acm: Acm, secrets: Secrets, desired: Desired) -> None:
        self._acm = acm
        self._secrets = secrets
        self._desired = desired

    def __call__(self) -> State:
        """
        :raises AwsError: if a call fails for any reason except a missing secret.
        :raises Refused: for a secret with unexpected content.
        """
        present = self._desired.present
        text = self._secrets.text_if_any(self._desired.secret)
        held = pair(self._desired.secret, text) if present else None
        recorded, issuers = recorded_arn(text), authorities(text)
        known = self._acm.looked_up(recorded) if recorded else None
        imported: tuple[Imported, ...] = (known,) if known is not None else ()
        if not present or known is None:
            found = self._acm.imported(self._desired.vpc_id)
            listed = [each.arn for each in found]
            imported = (*(each for each in imported if each.arn not in listed), *found)
        own = read_certificate(held.certificate) if held else None
        return State(own, chain(held.chain) if held else (), imported, recorded, issuers)
