# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired server certificate from a module\'s options."""

from __future__ import annotations

import re
import typing as t

from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from ..identity import checked_range, checked_tags, checked_vpc, prefix_of
from .model import Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """
    :raises Refused: for the first invalid option.
    """
    vpc_id = checked_vpc(params["vpc_id"])
    fingerprint = params["fingerprint"]
    if fingerprint and fingerprint != KNOWN_AFTER_APPLY and not re.fullmatch(r"[0-9a-f]{64}", fingerprint):
        refuse_option("fingerprint", fingerprint, "64 lower-case hex digits (SHA-256)")
    return Desired(
        vpc_id=vpc_id,
        secret=params["secret"] or f"{prefix_of(vpc_id)}/server",
        tags=checked_tags(params["tags"], vpc_id),
        fingerprint=fingerprint or None,
        present=params["state"] == "present",
        wait_timeout=checked_range(params, "wait_timeout", 0, 3600),
        poll_interval=checked_range(params, "poll_interval", 1, 60),
    )
