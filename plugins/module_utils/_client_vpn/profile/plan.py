# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans which files to write or remove. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Secret, Step
from ..pki.values import has_ended
from .model import MODE, Desired, File, Profile, State

WRITE, REMOVE = "WriteProfile", "RemoveProfile"
UNKNOWN = Profile(KNOWN_AFTER_APPLY, KNOWN_AFTER_APPLY, Secret(KNOWN_AFTER_APPLY))


def plan(desired: Desired, state: State, *, check_mode: bool) -> Plan:
    """
    :raises Refused: if a person has no certificate.
    """
    return _plan_present(desired, state, check_mode=check_mode) if desired.present else _plan_absent(desired, state)


def _plan_present(desired: Desired, state: State, *, check_mode: bool) -> Plan:
    missing = [name for name in desired.people if name not in state.profiles]
    if missing and not check_mode:
        refuse_option(
            "people",
            ", ".join(missing),
            "people whose certificates client_vpn_pki has created",
            f"they have no certificate below {desired.prefix}/people, and no file was written",
        )
    steps = [_write(desired, name, state.profiles.get(name, UNKNOWN), state.files.get(name)) for name in desired.people]
    return Plan(tuple(step for step in steps if step), notes=_notes(desired, state))


def _plan_absent(desired: Desired, state: State) -> Plan:
    return Plan(tuple(_removal(desired, name, state.files[name]) for name in desired.people if name in state.files))


def _removal(desired: Desired, name: str, have: File) -> Step:
    change = Change("delete", f"file {desired.path(name)}", None, _shown(have))
    return Step(REMOVE, {"name": name}, (change,), lambda state: state.without_file(name))


def _notes(desired: Desired, state: State) -> tuple[str, ...]:
    ended = (
        (name, state.profiles[name].not_after)
        for name in desired.people
        if name in state.profiles and has_ended(state.profiles[name].not_after, now=desired.now)
    )
    return tuple(f"The certificate of {name} expired at {at}. Renew it with client_vpn_pki." for name, at in ended)


def _write(desired: Desired, name: str, profile: Profile, have: File | None) -> Step | None:
    if have and have.digest == profile.digest and have.mode == MODE:
        return None
    resource, after = f"file {desired.path(name)}", {"serial": profile.serial, "content": profile.digest}
    if have is None:
        changes = [Change("create", resource, None, None, after)]
    else:
        changes = [Change("update", resource, None, _shown(have), after)] if have.digest != profile.digest else []
        if have.mode != MODE:
            changes.append(Change("update", resource, "mode", f"{have.mode:04o}", f"{MODE:04o}"))
    return Step(WRITE, {"name": name}, tuple(changes), lambda state: state.written(name, profile))


def _shown(have: File) -> dict[str, t.Any]:
    return {"serial": have.serial, "content": have.digest}
