# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""People's connections to an endpoint: who is connected, and ending theirs."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .._aws.client import Api
from .._core.failure import refuse_option
from .._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from .identity import checked_range
from .mutations import change
from .nothing import said
from .waits import Waits

TERMINATE = "TerminateClientVpnConnections"
_ENDPOINT = re.compile(r"cvpn-endpoint-[0-9a-f]{8,17}")


@dataclass(frozen=True)
class Connection:
    """An active connection."""

    connection_id: str
    common_name: str = ""
    username: str = ""
    client_ip: str = ""
    established: str = ""

    @property
    def person(self) -> str:
        return self.common_name or self.username or self.connection_id

    def to_result(self) -> dict[str, str]:
        return {
            "connection_id": self.connection_id,
            "common_name": self.common_name,
            "username": self.username,
            "client_ip": self.client_ip,
            "established": self.established,
        }


Connected = tuple[Connection, ...]


def checked_endpoint(endpoint: str, *, check_mode: bool) -> str:
    """The endpoint's id, or an empty string for one that check mode only foresees.

    :raises Refused: for anything else.
    """
    if check_mode and endpoint == KNOWN_AFTER_APPLY:
        return ""
    if not _ENDPOINT.fullmatch(endpoint):
        refuse_option("client_vpn_endpoint_id", endpoint, "it must look like cvpn-endpoint-0123456789abcdef0")
    return endpoint


class Connections:
    """The connections of one endpoint."""

    def __init__(self, ec2: Api, endpoint: str, *, timeout: int, interval: int) -> None:
        self._ec2 = ec2
        self._endpoint = endpoint
        self._waits = Waits(timeout=timeout, interval=interval)

    def active(self) -> Connected:
        """By person and id. An endpoint that does not exist yet has none."""
        if not self._endpoint:
            return ()
        found = self._ec2.pages(
            "DescribeClientVpnConnections",
            "Connections",
            about=f"endpoint {self._endpoint}",
            ClientVpnEndpointId=self._endpoint,
        )
        active = [_connection(each) for each in found if each.get("Status", {}).get("Code") == "active"]
        return tuple(sorted(active, key=lambda each: (each.person, each.connection_id)))

    def apply(self, step: Step) -> None:
        """End one connection, and wait until it is not active any more."""
        connection = step.arguments["connection"]
        about = f"connection {connection} of endpoint {self._endpoint}"
        arguments = {"ClientVpnEndpointId": self._endpoint, "ConnectionId": connection}
        change(self._ec2, TERMINATE, about=about, waits=self._waits, arguments=arguments)
        self._waits.until(
            lambda: connection in [each.connection_id for each in self.active()],
            done=lambda still: not still,
            subject=about,
            state=lambda still: "active",
        )


def people_of(params: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    """
    :raises Refused: for an empty name, which would mean everybody without one.
    """
    checked_range(params, "wait_timeout", 0, 3600)
    checked_range(params, "poll_interval", 1, 60)
    for name in params["people"]:
        if not name.strip():
            refuse_option("people", name, "common names of certificates and user names are allowed")
    return tuple(sorted(set(params["people"])))


def plan(people: t.Sequence[str], seen: Connected) -> Plan:
    """One step for each connection of theirs. What is predicted is what was ended."""
    ending = tuple(each for each in seen if {each.common_name, each.username} & set(people))
    steps = tuple(
        Step(
            TERMINATE,
            {"connection": each.connection_id},
            (Change("delete", f"connection {each.connection_id}", None, f"{each.person} from {each.client_ip}"),),
        )
        for each in ending
    )
    return Plan(steps=steps, predicted=ending)


def _connection(answer: t.Mapping[str, t.Any]) -> Connection:
    return Connection(
        connection_id=answer["ConnectionId"],
        common_name=said(answer.get("CommonName")),
        username=said(answer.get("Username")),
        client_ip=said(answer.get("ClientIp")),
        established=said(answer.get("ConnectionEstablishedTime")),
    )
