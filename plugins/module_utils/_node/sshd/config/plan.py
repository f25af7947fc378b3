# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan from the observed to the desired drop-in."""

from __future__ import annotations

from dataclasses import replace

from ...._core.plan import Change, Plan, Step
from .. import host_certificates
from ..files import DROP_IN
from ..model import FileWrite
from .drop_in import render
from .model import REFUSAL, Desired, State

_ATTRIBUTES = "0644 0:0"


def plan(desired: Desired, state: State) -> Plan:
    """At most one step, which writes or removes the drop-in together with the message and certificates that it names."""
    text = render(desired, without_ours=state.without_ours) if desired.present else None
    certificates = desired.host_certificates if desired.present else {}
    files, changes = [], []
    for file, change in host_certificates.plan(certificates, state.certificates, ours=state.text or ""):
        files.append(file)
        changes.append(change)
    if desired.refusal != state.refusal:
        files.append(_write(REFUSAL, desired.refusal))
        changes.append(_change(f"message {REFUSAL}", state.refusal, desired.refusal))
    if text != state.text or (text is not None and state.attributes != _ATTRIBUTES):
        files.append(_write(DROP_IN, text))
        changes.append(_change(f"sshd drop-in {DROP_IN}", state.text, text))
    if not files:
        return Plan()

    def written(state: State) -> State:
        lines = {key_type: f"{line}\n" for key_type, line in certificates.items()}
        return replace(state, text=text, attributes=_ATTRIBUTES, refusal=desired.refusal, certificates=lines)

    return Plan(steps=(Step("WriteDropIn", {"files": tuple(files)}, tuple(changes), effect=written),))


def _write(path: str, text: str | None) -> FileWrite:
    return FileWrite(path, None if text is None else text.encode())


def _change(resource: str, before: str | None, after: str | None) -> Change:
    action = "delete" if after is None else "create" if before is None else "update"
    return Change(action, resource, None, before, after)
