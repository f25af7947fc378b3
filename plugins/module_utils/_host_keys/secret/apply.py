# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Creates, rotates and removes the secret with a cluster's host keys, and publishes the public keys."""

from __future__ import annotations

import datetime
import typing as t

from ..._aws.client import AwsError
from ..._aws.parameters import EXISTS
from ..._aws.tags import collection_tags
from ..._core.plan import Step
from .. import rotation
from ..keys import Publication, content, generate, publication, rotated
from .model import Desired
from .observe import Observer
from .plan import CREATE, DELETE, PUBLISH, ROTATE

COMPONENT = "login_nodes"


class Applier:
    """Changes the secret and the parameter of one cluster.

    :param new_text: returns the text of a secret with given keys; by default, new keys are generated.
    """

    def __init__(
        self, desired: Desired, observer: Observer, *, new_text: t.Callable[[], str] | None = None
    ) -> None:
        self._secrets = observer.secrets
        self._parameters = observer.parameters
        self._desired = desired
        self._observer = observer
        self._new_text = new_text or self._generated_text

    def __call__(self, step: Step) -> None:
        if step.operation == CREATE:
            self._create()
        elif step.operation == ROTATE:
            self._rotate(step.arguments["kind"], seen=step.arguments["seen"])
        elif step.operation == PUBLISH:
            self._publish(exists=step.arguments["exists"])
        elif step.operation == DELETE:
            days = None if step.arguments["force"] else step.arguments["days"]
            self._secrets.delete(self._desired.secret_name, days=days)
            self._observer.left = {}
        else:
            name = self._desired.parameter
            self._parameters.delete(name, about=f"parameter {name}")

    def _generated_text(self) -> str:
        """The text contains private keys. Only pass it on; do not store it."""
        return generate(self._desired.key_types, now=datetime.datetime.now(datetime.timezone.utc))

    def _create(self) -> None:
        desired, text = self._desired, self._new_text()
        self._secrets.create(
            desired.secret_name,
            text,
            description=f"{desired.words} of HyperPod cluster {desired.arn.id}",
            tags=collection_tags(desired.arn, COMPONENT),
            kms_key_id=desired.kms_key_id,
        )
        self._observer.left = content(desired.secret_name, text)

    def _rotate(self, kind: str, *, seen: rotation.Content) -> None:
        name, now = self._desired.secret_name, datetime.datetime.now(datetime.timezone.utc)
        text = rotated(name, self._secrets.text(name), kind, seen=seen, now=now)
        self._secrets.put(name, text)
        self._observer.left = content(name, text)

    def _publish(self, *, exists: bool) -> None:
        given = self._desired.public_keys
        public = Publication(given) if given else self._observer.secret().public
        name, text = self._desired.parameter, publication(public)
        options = {"about": f"parameter {name}", "Description": f"Public {self._desired.words}"}
        if not exists:
            try:
                self._parameters.create(name, text, tags=collection_tags(self._desired.arn, COMPONENT), **options)
                return
            except AwsError as error:
                if error.code != EXISTS:  # also returned to a retry whose first reply was lost
                    raise
        if self._observer.published() != public:
            self._parameters.overwrite(name, text, **options)
