# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What ``offboarded_home`` returns."""

from __future__ import annotations

import typing as t

from .model import Desired, State

_WAITS = {
    "unmounted": "its storage is not mounted on this node",
    "silent": "its file system does not answer",
    "other": "it is no folder, or may not be looked at",
}


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    report = {"pending": pending(desired, state), "notes": notes(desired, state)}
    return {"offboarded_home": _to_result(state), "hyperpod_report": report}


def pending(desired: Desired, state: State) -> list[str]:
    if state.kind in _WAITS:
        return [f"The home {desired.home} of {desired.name} waits: {_WAITS[state.kind]}."]
    if desired.archive and state.kind == "folder" and state.taken:
        return [f"The home {desired.home} of {desired.name} waits: {desired.archived} exists already."]
    return []


def notes(desired: Desired, state: State) -> list[str]:
    sentences = [
        f"{path} keeps {len(keys)} keys of {desired.name}, which open nothing while the account is gone."
        for path, keys in state.keys.items()
        if keys
    ]
    sentences += state.remarks
    if state.kind == "foreign":
        sentences.append(f"{desired.home} belongs to UID {state.owner}, not {desired.uid} ({desired.name}), and stays.")
    return sentences


def _to_result(state: State) -> dict[str, t.Any]:
    keys = [{"path": path, "keys": list(keys)} for path, keys in state.keys.items() if keys]
    return {"state": state.kind, "path": state.path, "authorized_keys": keys}
