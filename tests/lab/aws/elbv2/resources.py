# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of load balancers, listeners, target groups and targets."""

from __future__ import annotations

import datetime
import time
import typing as t
from dataclasses import dataclass, field

from . import attributes


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


class Propagating:
    """A new resource, which the first description may miss."""

    seen: bool = False

    def unseen(self, age: float, seconds: float) -> bool:
        """Whether this description misses the resource; only one does."""
        first, self.seen = not self.seen, True
        return first and age < seconds


@dataclass
class Zone:
    """An enabled availability zone: one subnet, one address, one network interface."""

    name: str
    subnet_id: str
    address: str
    prefix_length: int
    interface_id: str
    address_chosen: bool = False

    def describe(self) -> dict[str, t.Any]:
        addresses = [{"PrivateIPv4Address": self.address}] if self.address_chosen else []
        return {"ZoneName": self.name, "SubnetId": self.subnet_id, "LoadBalancerAddresses": addresses}


@dataclass
class Listener:
    """A TCP listener that forwards to one target group."""

    arn: str
    load_balancer_arn: str
    port: int
    target_group_arn: str
    attributes: dict[str, str] = field(default_factory=lambda: attributes.defaults(attributes.LISTENER))

    @property
    def actions(self) -> list[dict[str, t.Any]]:
        group = {"TargetGroupArn": self.target_group_arn}
        return [{"Type": "forward", "Order": 1, **group, "ForwardConfig": {"TargetGroups": [group]}}]

    def describe(self) -> dict[str, t.Any]:
        return {
            "ListenerArn": self.arn,
            "LoadBalancerArn": self.load_balancer_arn,
            "Port": self.port,
            "Protocol": "TCP",
            "DefaultActions": self.actions,
        }

    def describe_rule(self) -> dict[str, t.Any]:
        arn = self.arn.replace(":listener/", ":listener-rule/") + "/" + self.arn[-16:]
        return {
            "RuleArn": arn,
            "Priority": "default",
            "Conditions": [],
            "Actions": [{"Type": "forward", "TargetGroupArn": self.target_group_arn}],
            "IsDefault": True,
        }


@dataclass
class LoadBalancer(Propagating):
    """A network load balancer."""

    arn: str
    name: str
    dns_name: str
    scheme: str
    vpc_id: str
    zones: list[Zone]
    security_groups: list[str]
    """Empty if created without a group; then none can be added later."""
    ready_at: float
    attributes: dict[str, str] = field(default_factory=lambda: attributes.defaults(attributes.LOAD_BALANCER))
    listeners: dict[str, Listener] = field(default_factory=dict)
    private_link: str = "on"
    created: datetime.datetime = field(default_factory=_now)

    @property
    def active(self) -> bool:
        return time.monotonic() >= self.ready_at

    def describe(self) -> dict[str, t.Any]:
        found: dict[str, t.Any] = {
            "LoadBalancerArn": self.arn,
            "LoadBalancerName": self.name,
            "DNSName": self.dns_name,
            "CanonicalHostedZoneId": "Z18D5FSROUN65G",
            "CreatedTime": self.created,
            "Scheme": self.scheme,
            "VpcId": self.vpc_id,
            "State": {"Code": "active" if self.active else "provisioning"},
            "Type": "network",
            "AvailabilityZones": [zone.describe() for zone in self.zones],
            "IpAddressType": "ipv4",
            "EnablePrefixForIpv6SourceNat": "off",
        }
        if self.security_groups:
            found["SecurityGroups"] = list(self.security_groups)
            found["EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic"] = self.private_link
        return found


@dataclass
class Target:
    """A registered address; ``leaves_at`` is set while it drains. It receives connections between the other two times."""

    ip: str
    port: int
    zone: str
    leaves_at: float | None = None
    routed_from: float = 0.0
    routed_until: float | None = None

    @property
    def draining(self) -> bool:
        return self.leaves_at is not None

    @property
    def registering(self) -> bool:
        return time.monotonic() < self.routed_from

    @property
    def routed(self) -> bool:
        """Whether the registration state allows new connections."""
        now = time.monotonic()
        return now >= self.routed_from and (self.routed_until is None or now < self.routed_until)

    def describe(self) -> dict[str, t.Any]:
        return {"Id": self.ip, "Port": self.port, "AvailabilityZone": self.zone}


@dataclass
class TargetGroup(Propagating):
    """A TCP target group with ``ip`` targets. Keys of ``targets`` are (address, port)."""

    arn: str
    name: str
    port: int
    vpc_id: str
    health: dict[str, t.Any]
    """The HealthCheck… and …ThresholdCount members under the API's names."""
    attributes: dict[str, str] = field(default_factory=lambda: attributes.defaults(attributes.TARGET_GROUP))
    targets: dict[tuple[str, int], Target] = field(default_factory=dict)
    created: datetime.datetime = field(default_factory=_now)

    def describe(self, load_balancer_arns: list[str]) -> dict[str, t.Any]:
        return {
            "TargetGroupArn": self.arn,
            "TargetGroupName": self.name,
            "Protocol": "TCP",
            "Port": self.port,
            "VpcId": self.vpc_id,
            "LoadBalancerArns": load_balancer_arns,
            "TargetType": "ip",
            "IpAddressType": "ipv4",
            **self.health,
        }

    def health_port(self, target_port: int) -> int:
        port = self.health["HealthCheckPort"]
        return target_port if port == "traffic-port" else int(port)

    def forget_drained(self) -> None:
        """Drop targets whose deregistration delay is over."""
        now = time.monotonic()
        for key in [key for key, target in self.targets.items() if target.leaves_at and target.leaves_at <= now]:
            del self.targets[key]
