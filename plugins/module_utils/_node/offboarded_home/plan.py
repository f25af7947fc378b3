# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan to remove keys and then rename the home."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.plan import Change, Plan, Step
from .model import Desired, State

REMOVE, ARCHIVE = "remove_file", "archive_home"


def plan(desired: Desired, state: State) -> Plan:
    steps = [_remove(path, keys) for path, keys in state.keys.items()] if desired.remove_keys else []
    if desired.archive and state.kind == "folder" and not state.taken:
        steps.append(_archive(desired))
    return Plan(steps=tuple(steps))


def _remove(path: str, keys: t.Sequence[t.Mapping[str, t.Any]]) -> Step:
    shown = [f"{key['type']} {key['fingerprint']} {key['comment']}".strip() for key in keys]
    change = Change("delete", f"key file {path}", None, shown or ["(no key could be read)"], None)

    def without(state: State) -> State:
        left = {other: found for other, found in state.keys.items() if other != path}
        return dataclasses.replace(state, keys=left, remarks=())

    return Step(REMOVE, {"path": path}, (change,), effect=without)


def _archive(desired: Desired) -> Step:
    change = Change("update", f"home of {desired.name}", "path", desired.home, desired.archived)

    def moved(state: State) -> State:
        keys = {desired.archived + path[len(desired.home) :]: found for path, found in state.keys.items()}
        return dataclasses.replace(state, kind="archived", path=desired.archived, keys=keys)

    return Step(ARCHIVE, {}, (change,), effect=moved)
