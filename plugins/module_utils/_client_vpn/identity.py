# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Tags and names that identify the parts of a VPC's Client VPN."""

from __future__ import annotations

import re
import typing as t

from .._core.failure import refuse_option
from .._core.plan import KNOWN_AFTER_APPLY

OWNER = "mlfleet.hyperpod/client-vpn"
"""The tag whose value is the ID of the VPC."""
COMPONENT = "mlfleet.hyperpod/component"

_VPC = re.compile(r"vpc-[0-9a-f]{8,17}")
_ENDPOINT = re.compile(r"cvpn-endpoint-[0-9a-f]{8,17}")
# Characters that are valid in the name of a secret, except the slash, and in the common name of a certificate.
_PERSON = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+=-]{0,63}")


def identity_tags(vpc_id: str) -> dict[str, str]:
    return {COMPONENT: "client_vpn", OWNER: vpc_id}


def prefix_of(vpc_id: str) -> str:
    """The default prefix of the secrets of a VPC's Client VPN."""
    return f"mlfleet/hyperpod/client-vpn/{vpc_id}"


def checked_vpc(vpc_id: str) -> str:
    """
    :raises Refused: for a value that is not the ID of a VPC.
    """
    if not _VPC.fullmatch(vpc_id):
        refuse_option("vpc_id", vpc_id, "an ID such as vpc-0123456789abcdef0")
    return vpc_id


def checked_endpoint(endpoint: str, *, check_mode: bool) -> str:
    """The endpoint's ID; empty for an endpoint that check mode only predicts.

    :raises Refused: for a value that is not the ID of an endpoint.
    """
    if check_mode and endpoint == KNOWN_AFTER_APPLY:
        return ""
    if not _ENDPOINT.fullmatch(endpoint):
        refuse_option("client_vpn_endpoint_id", endpoint, "an ID such as cvpn-endpoint-0123456789abcdef0")
    return endpoint


def checked_prefix(prefix: str | None, vpc_id: str) -> str:
    """
    :raises Refused: for a prefix that is not valid in the name of a secret.
    """
    if prefix is None:
        return prefix_of(vpc_id)
    if not re.fullmatch(r"[A-Za-z0-9/_+=.@-]{1,400}", prefix) or prefix.endswith("/"):
        refuse_option("secret_prefix", prefix, "letters, digits and /_+=.@-, without a slash at the end")
    return prefix


def checked_people(option: str, names: t.Iterable[str]) -> tuple[str, ...]:
    """The names, sorted and without duplicates.

    :raises Refused: for a name that is not valid for a file, a secret and a certificate.
    """
    for name in names:
        if not _PERSON.fullmatch(name):
            refuse_option(option, name, "names of up to 64 letters, digits and _.@+=- that begin with a letter, a digit or _")
    return tuple(sorted(set(names)))


def checked_tags(tags: t.Mapping[str, t.Any], vpc_id: str) -> dict[str, str]:
    """The given tags and the tags of the collection.

    :raises Refused: for a tag whose prefix belongs to the collection or to AWS.
    """
    for key in tags:
        if key.startswith(("mlfleet.hyperpod/", "aws:")):
            refuse_option("tags", key, "keys that do not begin with mlfleet.hyperpod/ or aws:")
    return {**{key: str(value) for key, value in tags.items()}, **identity_tags(vpc_id)}


def checked_range(params: t.Mapping[str, t.Any], option: str, low: int, high: int) -> int:
    """
    :raises Refused: for a number out of range.
    """
    value: int = params[option]
    if not low <= value <= high:
        refuse_option(option, value, f"a number from {low} to {high}")
    return value
