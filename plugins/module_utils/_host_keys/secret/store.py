# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Where a cluster's host keys live: the secret in Secrets Manager, and its public half in Parameter Store."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.parameters import EXISTS, Parameters
from ..._aws.secrets import READ_BACK_SECONDS, Secrets
from ..._aws.tags import collection_tags
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..._core.times import iso_seconds
from ..._core.wait import Clock, wait_for
from .. import rotation
from ..keys import HostKey, Publication, content, generate, public_keys, publication, published, rotated, to_be_made
from .model import HostKeys, Wanted, summary

COMPONENT = "login_nodes"

CREATE, ROTATE, DELETE = "CreateSecret", "PutSecretValue", "DeleteSecret"
PUBLISH, UNPUBLISH = "PutParameter", "DeleteParameter"


def plan_present(wanted: Wanted, seen: HostKeys) -> Plan:
    """Make the keys only if there is truly no secret, and publish what the secret holds, or the given public keys.

    :raises Refused: if the secret is scheduled for deletion.
    """
    if wanted.public_keys:
        return _plan_published(wanted, seen, Publication(wanted.public_keys))
    if seen.deleted:
        raise Refused(
            f"Secret {wanted.secret_name} of cluster {wanted.arn.id} is scheduled for deletion ({seen.deleted}); new "
            "keys would make every client warn. Restore it (aws secretsmanager restore-secret --secret-id "
            f"{wanted.secret_name}), or delete it for good, then run again."
        )
    if seen.secret_arn is None:
        if wanted.rotation and wanted.rotation.kind != rotation.SETTLE:
            refuse_option("rotation", wanted.rotation.kind, f"secret {wanted.secret_name} does not exist yet")
        created = Change("create", f"secret {wanted.secret_name}", "keys", None, list(wanted.key_types))
        predicted = dataclasses.replace(seen, secret_arn=KNOWN_AFTER_APPLY, generated=wanted.key_types)
        steps = (Step(CREATE, {}, (created,)), _publish(wanted, seen, KNOWN_AFTER_APPLY))
        return Plan(steps=steps, predicted=predicted)
    missing = [each for each in wanted.key_types if each not in [key.type for key in seen.keys or ()]]
    notes = (f"Secret {wanted.secret_name} has no key of type {', '.join(missing)}.",) if missing else ()
    if wanted.rotation and seen.content and rotation.is_due(seen.content, wanted.rotation):
        return dataclasses.replace(_plan_rotation(wanted, seen, wanted.rotation), notes=notes)
    return dataclasses.replace(_plan_published(wanted, seen, seen.public), notes=notes)


def plan_absent(wanted: Wanted, seen: HostKeys) -> Plan:
    """Remove the secret, which can be restored for some days unless forced, and its public half.

    :raises Refused: if the secret does not carry our tag: somebody else made it.
    """
    steps = []
    if seen.secret_arn is not None and not seen.deleted:
        if seen.tags.get("mlfleet.hyperpod/cluster") != wanted.arn.text:
            raise Refused(
                f"Secret {wanted.secret_name} has no tag mlfleet.hyperpod/cluster={wanted.arn.text}, so it was not "
                "made for this cluster by this collection; it was left as it is."
            )
        how = "for good" if wanted.force else f"can be restored for {wanted.recovery_days} days"
        arguments = {"force": wanted.force, "days": wanted.recovery_days}
        steps.append(Step(DELETE, arguments, (Change("delete", f"secret {wanted.secret_name}", "deletion", how),)))
    if seen.published is not None:
        before = [key.fingerprint for key in seen.published]
        change = Change("delete", f"parameter {wanted.parameter}", "public keys", before)
        steps.append(Step(UNPUBLISH, {}, (change,)))
    return Plan(steps=tuple(steps), predicted=HostKeys() if steps else seen)


class HostKeyStore:
    """The secret and the parameter of one cluster."""

    def __init__(self, secrets: Api, ssm: Api, wanted: Wanted, *, clock: Clock = Clock()) -> None:
        self._secrets = Secrets(secrets)
        self._clock = clock
        self._left: rotation.Content | None = None
        """What the secret was left with by this process; empty: without it."""
        self._parameters = Parameters(ssm)
        self._wanted = wanted
        self.lost = f"Secret {wanted.secret_name} was created and removed by others again and again; run again."

    def observe(self, *, read: bool = True) -> HostKeys:
        """What is there. Without ``read`` the secret's content is not looked at, with given public keys no secret.

        :raises AwsError: for any answer but the secret or its certain absence.
        :raises Refused: for a secret that holds something else.
        """
        secret = HostKeys() if self._wanted.public_keys else self._secret(read=read)
        return self.with_publication(secret)

    def with_publication(self, seen: HostKeys) -> HostKeys:
        """The same with the fields that the parameter fills."""
        found = self.published()
        if found is None:
            return seen
        return dataclasses.replace(
            seen, published=found.keys, published_next=found.next, published_previous=found.previous
        )

    def published(self) -> Publication | None:
        """The public half, readable without access to the secret."""
        name = self._wanted.parameter
        text = self._parameters.text(name, about=f"parameter {name}")
        return None if text is None else published(name, text)

    def apply(self, step: Step) -> None:
        if step.operation == CREATE:
            self._create()
        elif step.operation == ROTATE:
            self._rotate(step.arguments["kind"], seen=step.arguments["seen"])
        elif step.operation == PUBLISH:
            self._publish(exists=step.arguments["exists"])
        elif step.operation == DELETE:
            days = None if step.arguments["force"] else step.arguments["days"]
            self._secrets.delete(self._wanted.secret_name, days=days)
            self._left = {}
        else:
            self._unpublish()

    def _secret(self, *, read: bool = True) -> HostKeys:
        """What was just done to the secret is told a moment later; until then it is asked for again."""
        return wait_for(
            lambda: self._told(read=read),
            done=lambda seen: self._is_as_left(seen, read=read),
            subject=f"secret {self._wanted.secret_name}",
            timeout=READ_BACK_SECONDS,
            interval=1.0,
            state=lambda seen: "not told as it was left",
            clock=self._clock,
        )

    def _told(self, *, read: bool) -> HostKeys:
        name = self._wanted.secret_name
        kept = self._secrets.describe(name)
        if kept is None:
            return HostKeys()
        seen = HostKeys(secret_arn=kept.arn, tags=kept.tags, deleted=kept.deleted)
        if kept.deleted or not read:
            return seen
        text = self._secrets.text_if_any(name) if self._left is not None else self._secrets.text(name)
        if text is None:
            return seen
        held = content(name, text)
        return dataclasses.replace(seen, keys=public_keys(held), content=held)

    def _is_as_left(self, seen: HostKeys, *, read: bool) -> bool:
        if self._left is None:
            return True
        there = seen.secret_arn is not None and not seen.deleted
        return there == bool(self._left) and (not read or not there or seen.content == self._left)

    def _rotate(self, kind: str, *, seen: rotation.Content) -> None:
        name, now = self._wanted.secret_name, datetime.datetime.now(datetime.timezone.utc)
        text = rotated(name, self._secrets.text(name), kind, seen=seen, now=now)
        self._secrets.put(name, text)
        self._left = content(name, text)

    def new_text(self) -> str:
        """What a secret that does not exist yet is to hold. It holds private keys: pass it on, never keep it."""
        return generate(self._wanted.key_types, now=datetime.datetime.now(datetime.timezone.utc))

    def _create(self) -> None:
        wanted, text = self._wanted, self.new_text()
        self._secrets.create(
            wanted.secret_name,
            text,
            description=f"{wanted.words} of HyperPod cluster {wanted.arn.id}",
            tags=collection_tags(wanted.arn, COMPONENT),
            kms_key_id=wanted.kms_key_id,
        )
        self._left = content(wanted.secret_name, text)

    def _publish(self, *, exists: bool) -> None:
        given = self._wanted.public_keys
        public = Publication(given) if given else self._secret().public
        name, text = self._wanted.parameter, publication(public)
        options = {"about": f"parameter {name}", "Description": f"Public {self._wanted.words}"}
        if not exists:
            try:
                self._parameters.create(name, text, tags=collection_tags(self._wanted.arn, COMPONENT), **options)
                return
            except AwsError as error:
                if error.code != EXISTS:  # also the answer to a try whose answer was lost
                    raise
        if self.published() != public:
            self._parameters.overwrite(name, text, **options)

    def _unpublish(self) -> None:
        name = self._wanted.parameter
        self._parameters.delete(name, about=f"parameter {name}")


def _plan_rotation(wanted: Wanted, seen: HostKeys, asked: rotation.Rotation) -> Plan:
    """The secret first: a run that dies between the two publishes what the secret holds the next time."""
    before = t.cast(rotation.Content, seen.content)
    after = rotation.arrange(
        before, asked.kind, now=iso_seconds(asked.now), made=to_be_made(key.type for key in seen.keys or ())
    )
    predicted = dataclasses.replace(seen, content=after, keys=public_keys(after))
    sets = [(name, summary(before, name), summary(after, name)) for name in ("keys", "next", "previous")]
    changes = tuple(
        Change("update", f"secret {wanted.secret_name}", f"{name} ({asked.kind})", old, new)
        for name, old, new in sets
        if old != new
    )
    steps = (Step(ROTATE, {"kind": asked.kind, "seen": before}, changes),)
    publishing = _plan_published(wanted, predicted, predicted.public)
    return Plan(steps=(*steps, *publishing.steps), predicted=publishing.predicted)


def _plan_published(wanted: Wanted, seen: HostKeys, public: Publication) -> Plan:
    if seen.publication == public:
        return Plan(predicted=seen)
    step = _publish(wanted, seen, [key.fingerprint for key in _all(public)])
    predicted = dataclasses.replace(
        seen, published=public.keys, published_next=public.next, published_previous=public.previous
    )
    return Plan(steps=(step,), predicted=predicted)


def _all(public: Publication | None) -> tuple[HostKey, ...]:
    return (*public.keys, *public.next, *public.previous) if public else ()


def _publish(wanted: Wanted, seen: HostKeys, after: t.Any) -> Step:
    exists = seen.published is not None
    before = [key.fingerprint for key in _all(seen.publication)] if exists else None
    change = Change("update" if exists else "create", f"parameter {wanted.parameter}", "public keys", before, after)
    return Step(PUBLISH, {"exists": exists}, (change,))
