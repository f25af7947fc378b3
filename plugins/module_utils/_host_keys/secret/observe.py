# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a cluster's host keys: the secret in Secrets Manager, and the parameter with the public keys."""

from __future__ import annotations

import dataclasses

from ..._aws.client import Api
from ..._aws.parameters import Parameters
from ..._aws.secrets import READ_BACK_SECONDS, Secrets
from ..._core.wait import Clock, wait_for
from .. import rotation
from ..keys import Publication, content, public_keys, published
from .model import PRESENT, QUERY, Desired, HostKeys


class Observer:
    """Reads the secret and the parameter of one cluster.

    A query and a run with given public keys do not read the secret. The secret's value is read only with ``state=present``.
    """

    def __init__(self, secrets: Api, ssm: Api, desired: Desired, *, clock: Clock = Clock()) -> None:
        self.secrets = Secrets(secrets)
        self.parameters = Parameters(ssm)
        """Returns its own writes even if the service's replies are outdated. So the Applier also writes through this object."""
        self._desired = desired
        self._reads = desired.state == PRESENT
        self._clock = clock
        self.left: rotation.Content | None = None
        """The secret's content after this process's last write; empty if this process deleted the secret; None before any write."""

    def __call__(self) -> HostKeys:
        """
        :raises AwsError: if a call fails for any reason except a missing secret.
        :raises Refused: if the secret does not contain host keys.
        """
        without_secret = self._desired.public_keys or self._desired.state == QUERY
        secret = HostKeys() if without_secret else self.secret()
        return secret.published_as(self.published())

    def published(self) -> Publication | None:
        """The public keys in the parameter, which can be read without permission to read the secret."""
        name = self._desired.parameter
        text = self.parameters.text(name, about=f"parameter {name}")
        return None if text is None else published(name, text)

    def secret(self) -> HostKeys:
        """Reads the secret until the last write of this process is visible, which takes a moment."""
        return wait_for(
            self._current,
            done=self._is_as_left,
            subject=f"secret {self._desired.secret_name}",
            timeout=READ_BACK_SECONDS,
            interval=1.0,
            state=lambda seen: "not returning the last change",
            clock=self._clock,
        )

    def _current(self) -> HostKeys:
        name = self._desired.secret_name
        kept = self.secrets.describe(name)
        if kept is None:
            return HostKeys()
        seen = HostKeys(secret_arn=kept.arn, tags=kept.tags, deleted=kept.deleted)
        if kept.deleted or not self._reads:
            return seen
        text = self.secrets.text_if_any(name) if self.left is not None else self.secrets.text(name)
        if text is None:
            return seen
        held = content(name, text)
        return dataclasses.replace(seen, keys=public_keys(held), content=held)

    def _is_as_left(self, seen: HostKeys) -> bool:
        if self.left is None:
            return True
        there = seen.secret_arn is not None and not seen.deleted
        return there == bool(self.left) and (not self._reads or not there or seen.content == self.left)
