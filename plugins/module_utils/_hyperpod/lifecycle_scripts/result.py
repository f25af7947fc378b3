# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The returned lifecycle scripts."""

from __future__ import annotations

import typing as t

from ..._core.finding import WARNING, Finding, note, pending, to_result
from ..._core.text import printable
from .model import Desired, Place, State
from .observe import SHOWN

LONGEST_NAME = 100


class Report:
    """Keeps the findings of the first state, because an upload replaces a changed script."""

    def __init__(self, desired: Desired, *, uploads: bool) -> None:
        self._desired = desired
        self._uploads = uploads
        self._found: tuple[Finding, ...] = ()

    def noted(self, state: State) -> State:
        self._found = tuple(findings(state, self._desired, uploads=self._uploads))
        return state

    def result(self, state: State) -> dict[str, t.Any]:
        return {"lifecycle_scripts": described(state), **to_result(self._found)}


def described(state: State) -> dict[str, t.Any] | None:
    """The scripts as a return value; None if no digests are recorded and no scripts are given."""
    if state.place is None:
        return None
    return {
        "bucket": state.place.bucket,
        "prefix": state.place.prefix,
        "recorded": state.record is not None and state.record.place == state.place,
        "digests": dict(state.digests),
        "changed": list(state.changed()),
        "others": list(state.others),
    }


def findings(state: State, desired: Desired, *, uploads: bool) -> t.Iterator[Finding]:
    """:param uploads: whether this run uploads the desired scripts."""
    if state.unreadable and not uploads:
        text = f"The digests in the parameters {desired.path} could not be read. Run the playbook cluster to record them again."
        yield pending("lifecycle-digests-not-readable", text, subject=desired.path)
    if state.place is None:
        return
    for name in state.changed():
        if not desired.scripts or state.digests.get(name) != desired.digests.get(name, state.digests.get(name)):
            yield _changed(state.place, name, gone=name not in state.digests, uploads=uploads)
    if state.others:
        yield _others(state.place, state.others)


def _changed(place: Place, name: str, *, gone: bool, uploads: bool) -> Finding:
    uri = place.uri(_shown(name))
    happened = "removed" if gone else "changed"
    what = f"The lifecycle script {uri}, which HyperPod runs as root on new nodes, was {happened} after its upload."
    if uploads:
        text = f"{what} This run uploads the declared script. Check the nodes that were created after the change."
        return note("lifecycle-script-changed", text, severity=WARNING, subject=uri)
    text = f"{what} Check the nodes that were created after the change, and run the playbook cluster to upload the script again."
    return pending("lifecycle-script-changed", text, subject=uri)


def _others(place: Place, names: t.Sequence[str]) -> Finding:
    shown = ", ".join(_shown(name) for name in names[:SHOWN])
    more = ", and perhaps more" if len(names) >= SHOWN else ""
    what = f"{place.uri()} has objects that are neither declared nor recorded as uploaded: {shown}{more}."
    text = f"{what} HyperPod copies these objects to each new node. Remove the objects that no script needs."
    return note("lifecycle-object-unknown", text, severity=WARNING, subject=place.uri())


def _shown(name: str) -> str:
    return printable(name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…")
