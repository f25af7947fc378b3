# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks of options that many modules have. Each check returns the value in canonical form, or raises ``Refused``.

Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import ipaddress
import re
import typing as t

from .failure import refuse_option

_RESOURCE_ID = re.compile(r"([a-z]+)-(?:[0-9a-f]{8}|[0-9a-f]{17})")
_SHOWN = 20
"""Number of characters that a message shows of an overlong text."""


def check_number(option: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        refuse_option(option, value, f"{low} to {high}")
    return value


def check_port(option: str, value: int) -> int:
    return check_number(option, value, 1, 65535)


def check_length(option: str, value: str, longest: int) -> str:
    if len(value) > longest:
        refuse_option(option, f"{value[:_SHOWN]}…", f"at most {longest} characters", f"it has {len(value)} characters")
    return value


def check_id(option: str, value: str, kind: str) -> str:
    """An AWS ID such as ``subnet-0123456789abcdef0``; ``kind`` is the part before the hyphen."""
    match = _RESOURCE_ID.fullmatch(value)
    if match is None or match.group(1) != kind:
        refuse_option(option, value, f"an ID such as {kind}-0123456789abcdef0")
    return value


def check_ipv4(option: str, value: str) -> str:
    try:
        return str(ipaddress.IPv4Address(value))
    except ValueError:
        refuse_option(option, value, "an IPv4 address such as 10.1.2.3")


def check_network(option: str, value: str) -> str:
    """A network in CIDR notation. Bits after the prefix are refused, because AWS would clear them and store a different network."""
    try:
        return str(ipaddress.ip_network(value))
    except ValueError:
        refuse_option(option, value, "a network such as 10.1.0.0/16, with no bits set beyond its prefix")


def check_ipv4_network(option: str, value: str) -> str:
    """Like :func:`check_network`, for options whose API does not accept IPv6."""
    try:
        return str(ipaddress.IPv4Network(value))
    except ValueError:
        refuse_option(option, value, "an IPv4 network such as 10.1.0.0/16, with no bits set beyond its prefix")


def check_unique(option: str, values: t.Iterable[t.Any]) -> None:
    seen: set[t.Any] = set()
    for value in values:
        if value in seen:
            refuse_option(option, value, "each value once", "it is given more than once")
        seen.add(value)
