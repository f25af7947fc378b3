# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``ssh_endpoint_info``."""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_option
from ..._ssh.public_key import BadKey, PublicKey
from .model import Desired, Endpoint

_LIMITS = {"timeout": (1, 60), "attempts": (1, 50)}


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    for option, (lowest, highest) in _LIMITS.items():
        if not lowest <= params[option] <= highest:
            refuse_option(option, params[option], f"a number from {lowest} to {highest}")
    for one in params["endpoints"]:
        if not 1 <= one["port"] <= 65535:
            refuse_option("endpoints.port", one["port"], "a port from 1 to 65535")
        if one["host"].startswith("-") or not one["host"]:
            refuse_option("endpoints.host", one["host"], "a name or an address")
    expected = _expected("expected_host_keys", params["expected_host_keys"], params["types"])
    return Desired(
        endpoints=tuple(_endpoint(one, params["types"]) for one in params["endpoints"]),
        expected=expected,
        types=tuple(params["types"]),
        via=params["via"],
        timeout=params["timeout"],
        attempts=params["attempts"],
    )


def _endpoint(one: dict[str, t.Any], types: list[str]) -> Endpoint:
    keys = _expected("endpoints.host_keys", one["host_keys"], types)
    certificates = _expected("endpoints.certificates", one["certificates"], types, certificates=True)
    if certificates and not keys:
        refuse_option("endpoints.host_keys", one["host_keys"], "the host keys that the certificates certify")
    return Endpoint(one["name"] or one["host"], one["host"], one["port"], keys | certificates)


def _expected(option: str, lines: list[str], types: list[str], *, certificates: bool = False) -> frozenset[PublicKey]:
    expected = set()
    what = "certificate" if certificates else "public key"
    for line in lines:
        try:
            key = PublicKey.parse(line)
        except BadKey as error:
            refuse_option(option, line, f"a {what} line", str(error))
        if bool(key.certifies) != certificates:
            refuse_option(option, line, f"a {what} line")
        expected.add(key)
    wanted = frozenset(key for key in expected if (key.certifies or key.type) in types)
    if expected and not wanted:
        refuse_option("types", types, "at least one type of the expected host keys")
    return wanted
