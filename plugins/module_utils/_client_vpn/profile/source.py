# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds profiles from the configuration that the endpoint exports and from people's secrets."""

from __future__ import annotations

import secrets as randomness
import typing as t

from ..._aws.client import Api
from ..._aws.secrets import Kept, Secrets
from ..._core.failure import Refused
from ..pki import contents
from ..pki.values import Certificate
from . import text as profile_text
from .model import Desired

EXPORT = "ExportClientVpnClientConfiguration"


class Source:
    """The profiles of the requested people."""

    def __init__(self, ec2: Api, secrets: Secrets, desired: Desired) -> None:
        self._ec2 = ec2
        self._secrets = secrets
        self._desired = desired

    def made(self, found: t.Mapping[str, str | None]) -> dict[str, tuple[Certificate, str]]:
        """The certificate and the profile of each person. ``found``: the texts of the existing files, keyed by person."""
        desired = self._desired
        if not desired.endpoint:
            return {}
        answer = self._ec2.call(EXPORT, about=f"endpoint {desired.endpoint}", ClientVpnEndpointId=desired.endpoint)
        exported = answer.get("ClientConfiguration") or ""
        if "remote " not in exported:
            raise Refused(f"Endpoint {desired.endpoint} exported no configuration. Associate the endpoint with a subnet first.")
        text = profile_text.configuration(exported, client=desired.client)
        return {
            name: made
            for name in desired.people
            if (made := self._joined(name, text, found.get(name) or "")) is not None
        }

    def _joined(self, name: str, text: str, have: str) -> tuple[Certificate, str] | None:
        secret = f"{self._desired.prefix}/people/{name}"
        content = self._secrets.text_if_any(secret)
        if content is None:
            return None
        own = t.cast(Certificate, contents.read_person(name, Kept(secret), content).certificate)
        key = contents.private_key(secret, content) or ""
        label = ""
        if self._desired.random_host_prefix:
            label = profile_text.label_in(have, text) or randomness.token_hex(4)
        return own, profile_text.joined(text, own.pem, key, label=label)
