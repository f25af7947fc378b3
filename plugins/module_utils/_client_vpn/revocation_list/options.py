# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired CRL from a module\'s options."""

from __future__ import annotations

import datetime
import typing as t

from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from ..identity import checked_endpoint, checked_range
from ..pki.crypto import NotReadable, read_crl
from ..pki.values import Crl, ends_within
from .model import Desired

MOST_ENTRIES = 20_000
"""The maximum number of entries in a CRL that AWS accepts."""


def desired(params: t.Mapping[str, t.Any], *, now: datetime.datetime, check_mode: bool) -> Desired:
    """
    :raises Refused: for the first invalid option.
    """
    return Desired(
        endpoint=checked_endpoint(params["client_vpn_endpoint_id"], check_mode=check_mode),
        crl=_list(params["crl"], now=now, check_mode=check_mode),
        allowed=params["allowed"],
        now=now,
        warn_before=checked_range(params, "warn_before", 0, 3650),
        wait_timeout=checked_range(params, "wait_timeout", 0, 3600),
        poll_interval=checked_range(params, "poll_interval", 1, 60),
    )


def _list(pem: str, *, now: datetime.datetime, check_mode: bool) -> Crl | None:
    if check_mode and pem == KNOWN_AFTER_APPLY:
        return None
    try:
        crl = read_crl(pem)
    except NotReadable as error:  # the value may be a private key, so it is not shown
        refuse_option("crl", "(not shown)", "a CRL in the form that client_vpn_pki returns", str(error))
    if ends_within(crl.next_update, 0, now=now):
        why = f"it expired at {crl.next_update}, and its import would lock out all users"
        refuse_option("crl", f"CRL {crl.number}", "a CRL that has not expired", why)
    if len(crl.serials) > MOST_ENTRIES:
        refuse_option("crl", f"CRL with {len(crl.serials)} certificates", f"at most {MOST_ENTRIES} certificates")
    return crl
