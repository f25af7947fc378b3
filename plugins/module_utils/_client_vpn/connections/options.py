# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the list of people to disconnect from a module's options."""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_option
from ..identity import checked_endpoint, checked_range
from .model import Desired


def desired(params: t.Mapping[str, t.Any], *, check_mode: bool) -> Desired:
    """
    :raises Refused: for an invalid option, such as an empty name, which would match all connections without a name.
    """
    endpoint = checked_endpoint(params["client_vpn_endpoint_id"], check_mode=check_mode)
    wait_timeout = checked_range(params, "wait_timeout", 0, 3600)
    poll_interval = checked_range(params, "poll_interval", 1, 60)
    for name in params["people"]:
        if not name.strip():
            refuse_option("people", name, "common names of certificates and user names")
    return Desired(endpoint, tuple(sorted(set(params["people"]))), wait_timeout, poll_interval)
