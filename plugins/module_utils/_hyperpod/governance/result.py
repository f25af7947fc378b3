# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The returned task governance: settings under the names of the options, and AWS's status."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from .fields import Kind
from .model import Desired, Found, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    key, found = desired.kind.key, state.found
    if found is None:
        team = {"team_name": desired.team} if desired.team else {}
        return {key: {"exists": False, "name": desired.name, **team}}
    return {key: {"exists": True, **to_result(desired.kind, found)}}


def to_result(kind: Kind, found: Found) -> dict[str, t.Any]:
    """The fields of a description. A summary has fewer fields."""
    return _printable(
        {
            "name": found.name,
            f"{kind.key}_id": found.id,
            f"{kind.key}_arn": found.arn,
            "version": found.version,
            "status": found.status,
            "failure_reason": found.failure,
            **found.settings,
            **({"status_details": found.details} if found.details else {}),
            **({} if found.tags is None else {"tags": found.tags}),
        }
    )


def _printable(value: t.Any) -> t.Any:
    if isinstance(value, t.Mapping):
        return {name: _printable(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_printable(part) for part in value]
    return printable(value) if isinstance(value, str) else value
