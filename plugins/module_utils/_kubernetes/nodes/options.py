# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""From a module's options to the desired state of nodes, with messages for invalid options."""

from __future__ import annotations

import typing as t

from ..._core.checks import check_id, check_length, check_number, check_unique
from ..._core.failure import Refused, refuse_option
from ..._core.text import printable
from .model import ASKED, ASKS, CORDONED, UNCORDONED, Desired

SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "required": True, "choices": [CORDONED, UNCORDONED, ASKED]},
    "node_ids": {"type": "list", "elements": "str", "required": True},
    "reason": {"type": "str", "default": ""},
    "asks_for": {"type": "str", "choices": list(ASKS)},
    "pods": {"type": "str", "default": "wait", "choices": ["wait", "refuse"]},
    "wait_for": {"type": "str", "default": "idle", "choices": ["idle", "ready"]},
    "wait_timeout": {"type": "int", "default": 0},
    "poll_interval": {"type": "int", "default": 10},
    "_progress_file": {"type": "path"},
}
LONGEST = 200
"""The maximum length of a reason, in characters."""


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    asks_for = params["asks_for"] or ""
    if bool(asks_for) != (params["state"] == ASKED):
        problem = f"required with state={ASKED}, and not allowed with other states"
        raise Refused(f"asks_for: {problem}. Allowed: {', '.join(ASKS)}.", option="asks_for")
    reason = check_length("reason", params["reason"], LONGEST)
    if printable(reason) != reason or not (reason or asks_for):
        refuse_option("reason", reason, "one line of printable text")
    ids = tuple(check_id("node_ids", each, "i") for each in params["node_ids"])
    check_unique("node_ids", ids)
    check_number("wait_timeout", params["wait_timeout"], 0, 86400)
    check_number("poll_interval", params["poll_interval"], 1, 300)
    return Desired(
        state=params["state"],
        instance_ids=ids,
        reason=reason,
        asks_for=asks_for,
        refuses_pods=params["pods"] == "refuse",
        until_ready=params["wait_for"] == "ready",
    )
