# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target groups: settings, registration, draining, and the state in DescribeTargetHealth."""

from __future__ import annotations

import ipaddress
import re
import time
import typing as t

from lab.balancer.view import Health
from moto.moto_api._internal import mock_random

from .. import cloud
from ..action import Refusal
from . import interfaces
from .resources import LoadBalancer, Target, TargetGroup

NAME = re.compile(r"(?!-)[A-Za-z0-9-]{1,32}(?<!-)")
HEALTH_DEFAULTS: dict[str, t.Any] = {
    "HealthCheckProtocol": "TCP",
    "HealthCheckPort": "traffic-port",
    "HealthCheckEnabled": True,
    "HealthCheckIntervalSeconds": 30,
    "HealthCheckTimeoutSeconds": 10,
    "HealthyThresholdCount": 5,
    "UnhealthyThresholdCount": 2,
}
# Networks outside of the VPC whose targets AWS accepts with AvailabilityZone "all".
PRIVATE = [ipaddress.ip_network(one) for one in ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16")]
State = tuple[str, str | None, str | None]
NOT_CONFIGURED = "Target group is not configured to receive traffic from the load balancer"
ZONE_OFF = "Target is in an Availability Zone that is not enabled for the load balancer"
DRAINING: State = ("draining", "Target.DeregistrationInProgress", "Target deregistration is in progress")
NOT_REGISTERED: State = ("unused", "Target.NotRegistered", "Target is not registered to the target group")
REGISTERING: State = ("initial", "Elb.RegistrationInProgress", "Target registration is in progress")
CHECKING: State = ("initial", "Elb.InitialHealthChecking", "Initial health checks in progress")
TIMEOUT: State = ("unhealthy", "Target.Timeout", "Request timed out")
FAILED: State = ("unhealthy", "Target.FailedHealthChecks", "Health checks failed")
HEALTHY: State = ("healthy", None, None)


class TargetGroups:
    """The mixin of the backend for target groups."""

    lock: t.Any
    ec2: t.Any
    tagging_service: t.Any
    balancers: dict[str, LoadBalancer]
    groups: dict[str, TargetGroup]
    arn: t.Callable[[str], str]
    changed: t.Callable[[], None]
    used_by: t.Callable[[str], list[str]]

    def group(self, arn: str) -> TargetGroup:
        if arn not in self.groups:
            raise Refusal("TargetGroupNotFound", f"Target group '{arn}' not found")
        self.groups[arn].forget_drained()
        return self.groups[arn]

    def create_group(
        self, *, name: str, port: int, vpc_id: str, health: dict[str, t.Any], tags: list[dict[str, str]]
    ) -> TargetGroup:
        """Create a group, or return the existing one of this name if all settings are the same."""
        with self.lock:
            if not NAME.fullmatch(name):
                raise Refusal("ValidationError", f"Target group name '{name}' is not valid")
            if vpc_id not in self.ec2.vpcs:
                raise Refusal("ValidationError", f"The VPC ID '{vpc_id}' is not found")
            wanted = _health(HEALTH_DEFAULTS, health)
            for existing in self.groups.values():
                if existing.name == name:
                    if (existing.port, existing.vpc_id, existing.health) == (port, vpc_id, wanted):
                        return existing
                    raise Refusal(
                        "DuplicateTargetGroupName",
                        f"A target group with the same name '{name}' exists, but with different settings",
                    )
            arn = self.arn(f"targetgroup/{name}/{mock_random.get_random_hex(16)}")
            group = self.groups[arn] = TargetGroup(arn, name, port, vpc_id, wanted)
            self.tagging_service.tag_resource(arn, tags)
            return group

    def modify_group(self, arn: str, health: dict[str, t.Any]) -> TargetGroup:
        with self.lock:
            group = self.group(arn)
            group.health = _health(group.health, health)
            self.changed()
            return group

    def delete_group(self, arn: str) -> None:
        """Delete a group; an unknown ARN is a success, as in AWS."""
        with self.lock:
            if self.used_by(arn):
                raise Refusal(
                    "ResourceInUse", f"Target group '{arn}' is currently in use by a listener or a rule"
                )
            if self.groups.pop(arn, None):
                self.tagging_service.delete_all_tags_for_resource(arn)

    # Targets

    def register(self, arn: str, targets: list[dict[str, t.Any]]) -> None:
        with self.lock:
            group = self.group(arn)
            fresh = [self._target(group, target) for target in targets]
            for target in fresh:
                known = group.targets.get((target.ip, target.port))
                if known is None or known.draining:
                    group.targets[(target.ip, target.port)] = target
            self.changed()

    def _target(self, group: TargetGroup, wanted: dict[str, t.Any]) -> Target:
        try:
            address = ipaddress.IPv4Address(wanted["Id"])
        except ValueError:
            raise Refusal("InvalidTarget", f"The target '{wanted['Id']}' is not a valid IPv4 address") from None
        if not interfaces.inside_vpc(self.ec2, group.vpc_id, str(address)):
            if wanted.get("AvailabilityZone") != "all" or not any(address in network for network in PRIVATE):
                raise Refusal(
                    "InvalidTarget",
                    f"The IP address '{address}' is not within the subnets of the VPC, or the Availability Zone"
                    " is not 'all'",
                )
        subnet = interfaces.containing_subnet(self.ec2, group.vpc_id, str(address))
        zone = subnet.availability_zone if subnet else "all"
        routed_from = time.monotonic() + cloud.current().settings["registration_seconds"]
        return Target(str(address), int(wanted.get("Port", group.port)), zone, routed_from=routed_from)

    def deregister(self, arn: str, targets: list[dict[str, t.Any]]) -> None:
        """Start to drain targets; unregistered targets are a success, as in AWS."""
        with self.lock:
            group = self.group(arn)
            settings = cloud.current().settings
            routed = settings["deregistration_seconds"]
            delay = int(group.attributes["deregistration_delay.timeout_seconds"]) * settings["drain_scale"]
            used = bool(self.used_by(arn))
            for wanted in targets:
                key = (wanted["Id"], int(wanted.get("Port", group.port)))
                target = group.targets.get(key)
                if target is None or target.draining:
                    continue
                if used:
                    target.routed_until = time.monotonic() + routed
                    target.leaves_at = time.monotonic() + max(delay, routed)
                else:
                    del group.targets[key]
            self.changed()

    def describe_health(self, arn: str, targets: list[dict[str, t.Any]] | None) -> list[dict[str, t.Any]]:
        with self.lock:
            group = self.group(arn)
            wanted = [(one["Id"], int(one.get("Port", group.port))) for one in targets or []] or list(group.targets)
            used = self.used_by(arn)
            balancer = self.balancers[used[0]] if used else None
        probed = cloud.current().balancers.health(balancer.arn, arn) if balancer else {}
        answer = []
        for key in wanted:
            target = group.targets.get(key)
            state = NOT_REGISTERED if target is None else _state(target, balancer, probed.get(key))
            health = dict(zip(("State", "Reason", "Description"), state))
            answer.append(
                {
                    "Target": target.describe() if target else {"Id": key[0], "Port": key[1]},
                    "HealthCheckPort": str(group.health_port(key[1])),
                    "TargetHealth": {name: value for name, value in health.items() if value is not None},
                }
            )
        return answer


def _state(target: Target, balancer: LoadBalancer | None, probed: Health | None) -> State:
    if target.draining:
        return DRAINING
    if balancer is None:
        return ("unused", "Target.NotInUse", NOT_CONFIGURED)
    if target.zone not in ("all", *(zone.name for zone in balancer.zones)):
        return ("unused", "Target.NotInUse", ZONE_OFF)
    if not balancer.active or target.registering or probed is None:
        return REGISTERING
    if probed.state == "initial":
        return CHECKING
    if probed.state == "unhealthy":
        return TIMEOUT if probed.timeout else FAILED
    return HEALTHY


def _health(current: dict[str, t.Any], changes: dict[str, t.Any]) -> dict[str, t.Any]:
    """The health check after changes.

    :raises Refusal: for settings that AWS or the lab's load balancer rejects.
    """
    health = {**current, **changes}
    if health["HealthCheckProtocol"] != "TCP":
        raise Refusal("InvalidConfigurationRequest", "The lab's load balancers have TCP health checks only")
    if health.pop("Matcher", None) or health.pop("HealthCheckPath", None):
        raise Refusal("InvalidConfigurationRequest", "Health check matcher and path are for HTTP health checks")
    if not health["HealthCheckEnabled"]:
        raise Refusal("InvalidConfigurationRequest", "Health checks cannot be disabled for targets of type 'ip'")
    port = str(health["HealthCheckPort"])
    if port != "traffic-port" and not (port.isdigit() and 1 <= int(port) <= 65535):
        raise Refusal("ValidationError", f"Health check port '{port}' must be 'traffic-port' or in the range 1-65535")
    timeout, interval = health["HealthCheckTimeoutSeconds"], health["HealthCheckIntervalSeconds"]
    if timeout > interval:
        raise Refusal(
            "ValidationError",
            f"Health check timeout '{timeout}' must be smaller than or equal to the interval '{interval}'",
        )
    return health
