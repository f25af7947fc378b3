# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations on target groups, under the API's own names."""

from __future__ import annotations

import typing as t

from ..action import Refusal, action
from . import attributes
from .listings import chosen, page
from .models import NetworkLoadBalancers

Answer = dict[str, t.Any]
HEALTH_MEMBERS = (
    "HealthCheckProtocol",
    "HealthCheckPort",
    "HealthCheckEnabled",
    "HealthCheckPath",
    "HealthCheckIntervalSeconds",
    "HealthCheckTimeoutSeconds",
    "HealthyThresholdCount",
    "UnhealthyThresholdCount",
    "Matcher",
)


class TargetGroupResponses:
    """A mixin of the handlers that moto's server finds."""

    own: NetworkLoadBalancers

    @action
    def create_target_group(
        self,
        Name: str,
        Protocol: str | None = None,
        Port: int | None = None,
        VpcId: str | None = None,
        TargetType: str = "instance",
        IpAddressType: str = "ipv4",
        Tags: t.Sequence[dict[str, str]] = (),
        ProtocolVersion: str | None = None,
        **health: t.Any,
    ) -> Answer:
        if Protocol is None or Port is None or VpcId is None:
            raise Refusal("ValidationError", "Protocol, port and VPC must be specified")
        if (Protocol, TargetType, IpAddressType) != ("TCP", "ip", "ipv4") or ProtocolVersion:
            raise Refusal("InvalidConfigurationRequest", "The lab has TCP target groups with IPv4 targets only")
        health = {name: value for name, value in health.items() if name in HEALTH_MEMBERS}
        group = self.own.create_group(name=Name, port=Port, vpc_id=VpcId, health=health, tags=list(Tags))
        return {"TargetGroups": [group.describe(self.own.used_by(group.arn))]}

    @action
    def describe_target_groups(
        self,
        LoadBalancerArn: str | None = None,
        TargetGroupArns: t.Sequence[str] = (),
        Names: t.Sequence[str] = (),
        Marker: str = "",
        PageSize: int = 0,
    ) -> Answer:
        with self.own.lock:
            found = chosen(self.own.groups.values(), "arn", list(TargetGroupArns), "TargetGroupNotFound")
            found = chosen(found, "name", list(Names), "TargetGroupNotFound")
            if LoadBalancerArn is not None:
                self.own.balancer(LoadBalancerArn)
                found = [one for one in found if LoadBalancerArn in self.own.used_by(one.arn)]
            described = [one.describe(self.own.used_by(one.arn)) for one in found]
            return page("TargetGroups", described, Marker, PageSize)

    @action
    def modify_target_group(self, TargetGroupArn: str, **health: t.Any) -> Answer:
        group = self.own.modify_group(TargetGroupArn, health)
        return {"TargetGroups": [group.describe(self.own.used_by(group.arn))]}

    @action
    def delete_target_group(self, TargetGroupArn: str) -> None:
        self.own.delete_group(TargetGroupArn)

    @action
    def register_targets(self, TargetGroupArn: str, Targets: list[Answer]) -> None:
        self.own.register(TargetGroupArn, Targets)

    @action
    def deregister_targets(self, TargetGroupArn: str, Targets: list[Answer]) -> None:
        self.own.deregister(TargetGroupArn, Targets)

    @action
    def describe_target_health(
        self, TargetGroupArn: str, Targets: t.Sequence[Answer] = (), Include: t.Sequence[str] = ()
    ) -> Answer:
        return {"TargetHealthDescriptions": self.own.describe_health(TargetGroupArn, list(Targets))}

    @action
    def describe_target_group_attributes(self, TargetGroupArn: str) -> Answer:
        return {"Attributes": attributes.listed(self.own.group(TargetGroupArn).attributes)}

    @action
    def modify_target_group_attributes(self, TargetGroupArn: str, Attributes: list[Answer]) -> Answer:
        group = self.own.group(TargetGroupArn)
        self.own.modify_attributes(group, attributes.TARGET_GROUP, Attributes)
        return {"Attributes": attributes.listed(group.attributes)}
