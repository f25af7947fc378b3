# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``offboarded_home``."""

from __future__ import annotations

import typing as t

from ..._core.finding import Finding, note, pending, to_result
from .model import Desired, State

_WAITS = {
    "unmounted": "its storage is not mounted on this node",
    "silent": "its file system does not respond",
    "other": "it is not a folder",
}


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    return {"offboarded_home": _to_result(state), **to_result([*waiting(desired, state), *left(desired, state)])}


def waiting(desired: Desired, state: State) -> list[Finding]:
    reason = _WAITS.get(state.kind, "")
    if desired.archive and state.kind == "folder" and state.taken:
        reason = f"{desired.archived} already exists"
    text = f"The home {desired.home} of {desired.name} was not processed: {reason}."
    return [pending("home-waits", text, subject=desired.name)] if reason else []


def left(desired: Desired, state: State) -> list[Finding]:
    """Notes about what remains of the user, and why."""
    found = [
        note(
            "home-keys-left",
            f"{path} still contains keys of {desired.name} (number: {len(keys)}). Without the account, the keys have no effect.",
            subject=path,
        )
        for path, keys in state.keys.items()
        if keys
    ]
    found += [note("home-file-skipped", text, subject=desired.name) for text in state.remarks]
    if state.kind == "foreign":
        text = f"{desired.home} belongs to UID {state.owner} instead of {desired.uid} ({desired.name}), and was not changed."
        found.append(note("home-of-other", text, subject=desired.name))
    return found


def _to_result(state: State) -> dict[str, t.Any]:
    keys = [{"path": path, "keys": list(keys)} for path, keys in state.keys.items() if keys]
    return {"state": state.kind, "path": state.path, "authorized_keys": keys}
