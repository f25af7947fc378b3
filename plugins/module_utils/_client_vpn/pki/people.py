# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans people's secrets: new certificates, renewed certificates and corrected tags."""

from __future__ import annotations

import typing as t

from ..._aws.secrets import Kept
from ..._core.plan import Change, Step
from .model import AUTHORITY, NOT_AFTER, SERIAL, Desired, Person
from .values import Certificate

MAKE_PERSON, RENEW_PERSON, TAG_PERSON, RESTORE = "MakePerson", "RenewPerson", "TagPerson", "RestoreSecret"
RECORD_RESTORED = "RecordRestored"


def people_steps(desired: Desired, authority: Certificate, seen: t.Mapping[str, Person]) -> tuple[Step, ...]:
    return tuple(step for name in desired.people for step in _person(desired, authority, name, seen.get(name)))


def _person(desired: Desired, authority: Certificate, name: str, seen: Person | None) -> tuple[Step, ...]:
    secret, days = desired.person_secret(name), desired.days.renew_before
    after = {"days": desired.days.person, "secret": secret}
    made = Person(name, Kept(secret, {**(seen.kept.tags if seen else {}), **desired.tags}), Certificate.to_be_made(name))
    if seen is None:
        change = Change("create", f"certificate of {name}", None, None, after)
        return (Step(MAKE_PERSON, {"name": name}, (change,), lambda state: state.with_person(made)),)
    if name not in desired.lost and seen.is_fresh(authority, days, now=desired.now):
        return _with_true_tags(seen, authority)
    steps = [restore_step(seen.kept), Step(RECORD_RESTORED, {"name": name}, ())] if seen.kept.deleted else []
    before = {"serial": seen.serial, "not_after": seen.not_after}
    change = Change("update", f"certificate of {name}", None, before, after)
    return (*steps, Step(RENEW_PERSON, {"name": name}, (change,), lambda state: state.with_person(made)))


def _with_true_tags(seen: Person, authority: Certificate) -> tuple[Step, ...]:
    """Correct tags that differ from the certificate's values, for example after an interrupted run."""
    want = {SERIAL: seen.serial, NOT_AFTER: seen.not_after, AUTHORITY: authority.fingerprint}
    wrong = {key: value for key, value in want.items() if seen.kept.tags.get(key) != value}
    if not wrong:
        return ()
    before = {key: seen.kept.tags.get(key) for key in wrong}
    change = Change("update", f"secret {seen.kept.name}", "tags", before, wrong)
    arguments = {"secret": seen.kept.name, "tags": wrong}
    return (Step(TAG_PERSON, arguments, (change,), lambda state: state.tagged(seen.kept.name, wrong)),)


def person_tags(own: Certificate, authority: Certificate) -> dict[str, str]:
    return {SERIAL: own.serial, NOT_AFTER: own.not_after, AUTHORITY: authority.fingerprint}


def restore_step(kept: Kept) -> Step:
    change = Change("update", f"secret {kept.name}", "deletion", kept.deleted, None)
    return Step(RESTORE, {"secret": kept.name}, (change,), lambda state: state.restored(kept.name))
