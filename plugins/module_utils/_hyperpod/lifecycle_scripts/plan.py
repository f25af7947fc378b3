# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the scripts in S3 to the desired scripts. No I/O."""

from __future__ import annotations

from ..._core.plan import Change, Plan, Step
from .model import Desired, Place, Record, Script, State

PUT_OBJECT, RECORD, FORGET = "PutObject", "PutParameter", "DeleteParameter"


def plan(desired: Desired, state: State) -> Plan:
    """Digests are recorded after the uploads. If a run ends between the two, the next run continues it."""
    if not desired.present:
        return Plan(_forgotten(desired, state))
    if desired.place is None:
        return Plan()
    place = desired.place
    uploads = [_upload(place, each, state) for each in desired.scripts if state.digests.get(each.name) != each.digest]
    return Plan((*uploads, *(_recorded(desired, place, state) if desired.path else ())))


def _upload(place: Place, script: Script, state: State) -> Step:
    before = state.digests.get(script.name)
    action = "create" if before is None else "update"
    change = Change(action, f"object {place.uri(script.name)}", "sha256", before, script.digest)
    arguments = {"place": place, "script": script}
    return Step(PUT_OBJECT, arguments, (change,), lambda state: state.with_object(script))


def _recorded(desired: Desired, place: Place, state: State) -> tuple[Step, ...]:
    record = Record(place, desired.digests)
    texts = {f"{desired.path}/{number}": text for number, text in enumerate(record.texts())}
    if texts == dict(state.parameters):
        return ()
    change = Change("update" if state.parameters else "create", f"parameters {desired.path}", "digests", None, len(desired.scripts))
    arguments = {
        "texts": {name: text for name, text in texts.items() if state.parameters.get(name) != text},
        "there": tuple(sorted(state.parameters)),
        "surplus": tuple(sorted(state.parameters.keys() - texts.keys())),
    }
    return (Step(RECORD, arguments, (change,), lambda state: state.with_record(record, texts)),)


def _forgotten(desired: Desired, state: State) -> tuple[Step, ...]:
    if not state.parameters:
        return ()
    change = Change("delete", f"parameters {desired.path}")
    arguments = {"surplus": tuple(sorted(state.parameters))}
    return (Step(FORGET, arguments, (change,), lambda state: State()),)
