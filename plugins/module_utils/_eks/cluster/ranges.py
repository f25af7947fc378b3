# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Address ranges that can reach a public API server."""

from __future__ import annotations

import ipaddress
import typing as t


def cover_internet(ranges: t.Iterable[str]) -> bool:
    """Whether the ranges together contain all IPv4 or all IPv6 addresses. Text that is no range is ignored."""
    networks = [each for each in map(_network, ranges) if each is not None]
    for version in (4, 6):
        same = [each for each in networks if each.version == version]
        if any(each.prefixlen == 0 for each in ipaddress.collapse_addresses(same)):  # type: ignore[type-var]
            return True
    return False


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None
