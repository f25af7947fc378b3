# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Connections to an endpoint: the people to disconnect, and the existing connections."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ..nothing import said
from ..statuses import ACTIVE, CUT


@dataclass(frozen=True)
class Desired:
    """The people to disconnect. ``endpoint`` is empty only in check mode, before the endpoint exists."""

    endpoint: str
    people: tuple[str, ...]
    wait_timeout: int = 120
    poll_interval: int = 5


@dataclass(frozen=True)
class Connection:
    """A connection that is active or has recently ended. Times are in AWS's form."""

    id: str
    common_name: str = ""
    username: str = ""
    client_ip: str = ""
    established: str = ""
    ended: str = ""
    status: str = ACTIVE
    ingress_bytes: int = 0
    egress_bytes: int = 0

    @classmethod
    def of(cls, answer: t.Mapping[str, t.Any]) -> Connection:
        return cls(
            id=answer["ConnectionId"],
            common_name=said(answer.get("CommonName")),
            username=said(answer.get("Username")),
            client_ip=said(answer.get("ClientIp")),
            established=said(answer.get("ConnectionEstablishedTime")),
            ended=said(answer.get("ConnectionEndTime")),
            status=answer.get("Status", {}).get("Code", ""),
            ingress_bytes=int(answer.get("IngressBytes") or 0),
            egress_bytes=int(answer.get("EgressBytes") or 0),
        )

    @property
    def active(self) -> bool:
        return self.status not in CUT

    @property
    def person(self) -> str:
        return self.common_name or self.username or self.id

    def to_result(self) -> dict[str, t.Any]:
        values = dataclasses.asdict(self)
        return {"connection_id": values.pop("id"), **values}


@dataclass(frozen=True)
class State:
    """The active connections, sorted by person and ID."""

    active: tuple[Connection, ...] = ()

    def without(self, connection: Connection) -> State:
        return State(tuple(each for each in self.active if each.id != connection.id))
