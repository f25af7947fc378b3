# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A required permission as an action, the ARN of its resource, and a context."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..request import Call

Context = t.Mapping[str, str | list[str]]
Triple = tuple[str, str, Context]
Required = list[Triple] | None


def arn(call: Call, service: str, rest: str) -> str:
    """An ARN in the Region and account of the call."""
    return f"arn:aws:{service}:{call.region}:{call.account}:{rest}"


def tags(given: t.Any) -> dict[str, str]:
    """The context of the tags of a request."""
    pairs = [(tag.get("Key") or tag.get("key"), tag.get("Value") or tag.get("value") or "") for tag in given or ()]
    return {f"aws:RequestTag/{key}": str(value) for key, value in pairs}
