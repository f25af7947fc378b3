# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads an endpoint in four calls, which is enough to detect most changes. Routes are not read."""

from __future__ import annotations

import dataclasses
import typing as t

from ..api import ClientVpn


def looked_at(vpn: ClientVpn, endpoint_id: str) -> dict[str, t.Any]:
    """Plain data that differs after a change of settings, tags, target networks, rules, their statuses, or the CRL."""
    found = vpn.endpoint(endpoint_id)
    if found is None:
        return {}
    whole = dataclasses.replace(found, networks=vpn.networks(endpoint_id), rules=vpn.rules(endpoint_id)).in_order()
    return {"endpoint": dataclasses.asdict(whole), "revoked": vpn.revocation_list(endpoint_id)}
