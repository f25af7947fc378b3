# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``slurm_nodes``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

from ...._core.checks import check_ipv4
from ...._core.failure import Refused, refuse_option
from .model import ASKED, DRAINED, Desired

_REASON = re.compile(r"[^\x00-\x1f\x7f\"]{1,200}")


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    state, reason = params["state"], params["reason"]
    if state == DRAINED and not reason:
        raise Refused("reason: missing; Slurm shows users the reason why a node accepts no jobs.", option="reason")
    if reason and not _REASON.fullmatch(reason):
        refuse_option("reason", reason, "1 to 200 printable characters without quotation marks")
    if state == ASKED and not params["asks_for"]:
        raise Refused("asks_for: missing; state=asked requires it.", option="asks_for")
    if state != ASKED and params["asks_for"]:
        refuse_option("asks_for", params["asks_for"], "no value", f"state is {state}")
    for option in ("wait_timeout", "poll_interval"):
        if not 0 <= params[option] <= 86400:
            refuse_option(option, params[option], "seconds from 0 to 86400")
    addresses = tuple(dict.fromkeys(check_ipv4("addresses", each) for each in params["addresses"]))
    return Desired(state, addresses, reason, params["jobs"], params["asks_for"] or "")
