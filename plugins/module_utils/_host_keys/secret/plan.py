# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan for the secret with a cluster's host keys, and for the parameter with the public keys."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..._core.times import iso_seconds
from .. import rotation
from ..keys import HostKey, KeyToCome, Publication, public_keys, to_be_made
from .model import ABSENT, PRESENT, Desired, HostKeys, summary

CREATE, ROTATE, DELETE = "CreateSecret", "PutSecretValue", "DeleteSecret"
PUBLISH, UNPUBLISH = "PutParameter", "DeleteParameter"


def plan(desired: Desired, state: HostKeys) -> Plan:
    if desired.state == PRESENT:
        return plan_present(desired, state)
    return plan_absent(desired, state) if desired.state == ABSENT else Plan()


def plan_present(desired: Desired, state: HostKeys, *, keys: tuple[HostKey, ...] | None = None) -> Plan:
    """Generate keys only if the secret certainly does not exist. Publish the secret's public keys, or the given ones.

    :param keys: the keys of a new secret; None for generated keys.
    :raises Refused: if the secret is scheduled for deletion.
    """
    if desired.public_keys:
        return Plan(steps=_publishing(desired, state, Publication(desired.public_keys)))
    if state.deleted:
        raise Refused(
            f"Secret {desired.secret_name} of cluster {desired.arn.id} is scheduled for deletion ({state.deleted}). New keys would "
            "cause a warning in every client. Restore the secret (aws secretsmanager restore-secret --secret-id "
            f"{desired.secret_name}) or delete it permanently, then run again."
        )
    if state.secret_arn is None:
        return _plan_creation(desired, state, keys or tuple(map(KeyToCome, desired.key_types)))
    missing = [each for each in desired.key_types if each not in [key.type for key in state.keys or ()]]
    notes = (f"Secret {desired.secret_name} has no key of type {', '.join(missing)}.",) if missing else ()
    steps: tuple[Step, ...] = ()
    if desired.rotation and state.content and rotation.is_due(state.content, desired.rotation):
        # The secret changes first. If a run dies before the parameter is written, the next run publishes the secret's keys.
        steps = (_rotation(desired, state.content, desired.rotation),)
        state = steps[0].effect(state)
    return Plan(steps=(*steps, *_publishing(desired, state, state.public)), notes=notes)


def plan_absent(desired: Desired, state: HostKeys) -> Plan:
    """Remove the secret and the parameter. Unless forced, the secret can be restored for some days.

    :raises Refused: if the secret does not have our tag and so has a different owner.
    """
    steps = []
    if state.secret_arn is not None and not state.deleted:
        if state.tags.get("mlfleet.hyperpod/cluster") != desired.arn.text:
            raise Refused(
                f"Secret {desired.secret_name} was not changed. It has no tag mlfleet.hyperpod/cluster={desired.arn.text}, so this "
                "collection did not create it for this cluster."
            )
        how = "permanent" if desired.force else f"can be restored for {desired.recovery_days} days"
        arguments = {"force": desired.force, "days": desired.recovery_days}
        change = Change("delete", f"secret {desired.secret_name}", "deletion", how)
        steps.append(Step(DELETE, arguments, (change,), effect=lambda seen: HostKeys().published_as(seen.publication)))
    if state.published is not None:
        before = [key.fingerprint for key in state.published]
        change = Change("delete", f"parameter {desired.parameter}", "public keys", before)
        steps.append(Step(UNPUBLISH, {}, (change,), effect=lambda seen: seen.published_as(None)))
    return Plan(steps=tuple(steps))


def _plan_creation(desired: Desired, state: HostKeys, keys: tuple[HostKey, ...]) -> Plan:
    if desired.rotation and desired.rotation.kind != rotation.SETTLE:
        why = f"secret {desired.secret_name} does not exist yet"
        refuse_option("rotation", desired.rotation.kind, "no rotation, or settle", why)
    change = Change("create", f"secret {desired.secret_name}", "keys", None, list(desired.key_types))
    create = Step(
        CREATE,
        {},
        (change,),
        effect=lambda seen: dataclasses.replace(seen, secret_arn=KNOWN_AFTER_APPLY, keys=keys),
    )
    return Plan(steps=(create, _publish(desired, state, Publication(keys), shown=KNOWN_AFTER_APPLY)))


def _rotation(desired: Desired, before: rotation.Content, asked: rotation.Rotation) -> Step:
    after = rotation.arrange(before, asked.kind, now=iso_seconds(asked.now), made=to_be_made(before["keys"]))
    sets = [(name, summary(before, name), summary(after, name)) for name in ("keys", "next", "previous")]
    changes = tuple(
        Change("update", f"secret {desired.secret_name}", f"{name} ({asked.kind})", old, new)
        for name, old, new in sets
        if old != new
    )
    return Step(
        ROTATE,
        {"kind": asked.kind, "seen": before},
        changes,
        effect=lambda seen: dataclasses.replace(seen, content=after, keys=public_keys(after)),
    )


def _publishing(desired: Desired, state: HostKeys, public: Publication) -> tuple[Step, ...]:
    if state.publication == public:
        return ()
    return (_publish(desired, state, public, shown=[key.fingerprint for key in _all(public)]),)


def _publish(desired: Desired, state: HostKeys, public: Publication, *, shown: t.Any) -> Step:
    exists = state.published is not None
    before = [key.fingerprint for key in _all(state.publication)] if exists else None
    change = Change("update" if exists else "create", f"parameter {desired.parameter}", "public keys", before, shown)
    return Step(PUBLISH, {"exists": exists}, (change,), effect=lambda seen: seen.published_as(public))


def _all(public: Publication | None) -> tuple[HostKey, ...]:
    return (*public.keys, *public.next, *public.previous) if public else ()
