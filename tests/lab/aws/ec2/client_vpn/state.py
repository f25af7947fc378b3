# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Client VPN endpoints as records, and states with timed transitions."""

from __future__ import annotations

import time
import typing as t
from dataclasses import dataclass, field

from moto.moto_api._internal import mock_random

from ... import cloud, request

DELETED = "gone"


def seconds() -> float:
    """Duration of a transitional state."""
    return cloud.current().settings["client_vpn_seconds"]


class Status:
    """A code and its pending transition. Fault rules can prolong a transition (``polls``) or let it ``fail``."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.message = ""
        self.goal: str | None = None
        self._goal_message = ""
        self._began = 0.0
        self._polls = 0

    def begin(self, during: str, goal: str, failed: str) -> None:
        """Change to ``during`` for a while, then to ``goal``, or to ``failed`` with an injected failure."""
        call, faults = request.current(), cloud.current().faults
        longer, failing = faults.take(call, "polls"), faults.take(call, "fail_later")
        self.code, self.message, self.goal, self._goal_message = during, "", goal, ""
        self._began, self._polls = time.monotonic(), longer.polls if longer else 0
        if failing:
            self.goal, self._goal_message = failed, f"{failing.code or 'Failure'}: injected into {call.operation}"

    def settle(self) -> bool:
        """Complete the transition if it is due; True if this call completed it."""
        if self.goal is None or self._polls > 0 or time.monotonic() - self._began < seconds():
            return False
        self.code, self.message, self.goal = self.goal, self._goal_message, None
        return True

    def answer(self, *, described: bool = False) -> dict[str, str]:
        """The status in the API; each description counts as one of the required polls."""
        if described and self.goal is not None and self._polls > 0:
            self._polls -= 1
        return {"Code": self.code, **({"Message": self.message} if self.message else {})}


@dataclass
class Association:
    """A target network, with the interface in its subnet."""

    id: str
    subnet_id: str
    vpc_id: str
    zone: str
    zone_id: str
    status: Status
    interface_id: str
    address: str
    prefix_length: int


@dataclass
class Rule:
    """An authorization; without a group it is for all clients."""

    cidr: str
    group: str | None
    description: str | None
    status: Status


@dataclass
class Route:
    """A route by one of the target networks."""

    cidr: str
    subnet_id: str
    origin: str
    description: str | None
    status: Status


@dataclass
class Endpoint:
    """``options`` are the members of the request with defaults; other members of replies are derived from them."""

    id: str
    arn: str
    dns_name: str
    options: dict[str, t.Any]
    created: str
    status: Status
    deleted: str | None = None
    gone_since: float | None = None
    vpc_id: str | None = None
    security_groups: list[str] = field(default_factory=list)
    associations: dict[str, Association] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    crl: str | None = None
    crl_status: Status = field(default_factory=lambda: Status("active"))
    crl_in_force: str | None = None
    resets: int = 0

    @property
    def statuses(self) -> list[Status]:
        """Statuses of the endpoint and of its parts."""
        parts: list[t.Any] = [*self.associations.values(), *self.rules, *self.routes]
        return [self.status, self.crl_status, *(part.status for part in parts)]

    @property
    def certificates(self) -> list[str]:
        """ARNs of the certificates in use."""
        roots = (way.get("MutualAuthentication", {}) for way in self.options["AuthenticationOptions"])
        used = [root["ClientRootCertificateChainArn"] for root in roots if root]
        return list(dict.fromkeys([self.options["ServerCertificateArn"], *used]))

    @property
    def usable(self) -> list[Association]:
        """Associations that carry traffic."""
        return [one for one in self.associations.values() if one.status.code in ("associated", "disassociating")]

    @property
    def pushed(self) -> set[str]:
        """Destinations that are pushed to clients."""
        return {route.cidr for route in self.routes if route.status.code in ("active", "deleting")}

    def association_in(self, subnet_id: str) -> Association | None:
        """The association of a subnet, if it is associated."""
        found = [one for one in self.associations.values() if one.subnet_id == subnet_id]
        return next((one for one in found if one.status.code == "associated"), None)


def new_id(kind: str) -> str:
    """An ID in the format of AWS, such as ``cvpn-endpoint-`` and 17 digits."""
    return f"cvpn-{kind}-{mock_random.get_random_hex(17)}"


def is_deleted(status: Status) -> bool:
    """True if the object is deleted at the end of its transition."""
    return status.code == DELETED


def now() -> str:
    """The time in the format of EC2 for these resources."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
