# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has access through the Client VPN, when users may be disconnected, and the cost of the VPN. Plain data in and out."""

from __future__ import annotations

import datetime
import ipaddress
import re
import typing as t

from . import declared_people

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
HOURS_A_MONTH = 730
_WINDOW = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun|daily) ([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")
_DAY = 24 * 60
_WEEK = 7 * _DAY
Users = declared_people.Users
Offboarded = declared_people.Offboarded


def log_group(vpc_id: str) -> str:
    """The name of the connection log's log group."""
    return f"/mlfleet/hyperpod/client-vpn/{vpc_id}"


def window_problems(text: str) -> list[str]:
    """The parts of a window that do not have the required form."""
    return [part for part in _parts(text) if not _WINDOW.fullmatch(part)]


def window_open(text: str, now: datetime.datetime) -> bool:
    """Whether ``now`` (UTC) is in the window. An empty window is never open, and a window may extend past midnight."""
    minute = now.weekday() * _DAY + now.hour * 60 + now.minute
    return any((minute - start) % _WEEK < length for start, length in _spans(text))


def people_of(
    users: Users, files: t.Sequence[str], offboarded: Offboarded, neighbours: t.Iterable[t.Mapping[str, t.Any]] = ()
) -> dict[str, list[str]]:
    """Users who get a certificate, and users whose certificates are revoked.

    :param offboarded: the records of offboarded users of this cluster and of its neighbours.
    :param neighbours: the variables of the other clusters in the same account and Region. One endpoint serves all clusters of a
        VPC, so a user keeps access if a neighbour declares the user, even if this cluster declares the user as absent.
    """
    declared = declared_people.declared(users, files)
    staying = {name for name in _staying(declared) if name not in offboarded}
    absent = {str(user["name"]) for user in declared if isinstance(user, t.Mapping) and _is_absent(user)}
    for other in neighbours:
        users, files = other.get("hyperpod_users") or (), other.get("hyperpod_users_files") or ()
        absent -= _staying(declared_people.declared(users, files))
    return {"people": sorted(staying), "revoked": sorted((absent | set(offboarded)) - staying)}


def settings_of(cidrs: t.Sequence[str], servers: t.Iterable[str], allowed: t.Sequence[str]) -> dict[str, t.Any]:
    """The DNS servers and authorization rules of an endpoint.

    :param cidrs: the CIDR ranges of the VPC.
    :param servers: the declared DNS servers; ``resolver`` means the VPC's resolver.
    """
    resolver = str(ipaddress.ip_network(cidrs[0])[2])
    return {
        "dns_servers": [resolver if server == "resolver" else str(server) for server in servers],
        "rules": [{"cidr": str(cidr)} for cidr in allowed or cidrs],
    }


def with_certificates(authentication: t.Iterable[t.Mapping[str, t.Any]]) -> bool:
    """Whether users authenticate with certificates."""
    return any(each["type"] == "certificate" for each in authentication)


def with_authority(authentication: t.Iterable[t.Mapping[str, t.Any]], arn: str) -> list[dict[str, t.Any]]:
    """The authentication options. Certificate authentication uses the CA ``arn`` if the declaration names no other CA."""
    return [
        {"client_root_certificate_arn": arn, **each} if each["type"] == "certificate" else dict(each)
        for each in authentication
    ]


def cost(*, associations: int, people: int, price: t.Mapping[str, t.Any]) -> str:
    """A sentence about the monthly cost. ``price``: see the role's variable ``client_vpn_price``."""
    unit = price["currency"]
    standing = associations * HOURS_A_MONTH * float(price["association_hour"])
    each = float(price["connection_hour"])
    hours = float(price["hours_per_person"])
    return (
        f"A month costs {standing:.2f} {unit} for {associations} association{'' if associations == 1 else 's'} "
        f"({HOURS_A_MONTH} hours at {float(price['association_hour']):.3f}), and {each:.3f} for each hour of each "
        f"connection: {people * hours * each:.2f} {unit} more if {people} people are connected for {hours:.0f} hours each."
    )


def _parts(text: str) -> list[str]:
    return [part.strip() for part in str(text).split(",") if part.strip()]


def _spans(text: str) -> t.Iterator[tuple[int, int]]:
    """The start of each window as a minute of the week, and its length in minutes."""
    for part in _parts(text):
        found = _WINDOW.fullmatch(part)
        if found is None:
            raise ValueError(f"{part} is not a window")
        begin, end = int(found[2]) * 60 + int(found[3]), int(found[4]) * 60 + int(found[5])
        days = range(7) if found[1] == "daily" else (DAYS.index(found[1]),)
        yield from ((day * _DAY + begin, (end - begin) % _DAY or _DAY) for day in days)


def _staying(declared: t.Iterable[t.Any]) -> set[str]:
    return {str(user["name"]) for user in declared if isinstance(user, t.Mapping) and "name" in user and not _is_absent(user)}


def _is_absent(user: t.Mapping[str, t.Any]) -> bool:
    return user.get("state", "present") == "absent"
