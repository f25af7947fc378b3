# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations, under the API's own names; what is not here is moto's."""

from __future__ import annotations

import datetime
import typing as t

from moto.elbv2.responses import ELBV2Response

from .. import cloud
from ..action import Refusal, action
from . import attributes
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


def _mappings(subnets: list[str], mappings: list[dict[str, str]]) -> list[dict[str, str]]:
    if subnets and mappings:
        raise Refusal("ValidationError", "Specify either subnets or subnet mappings, not both")
    return mappings or [{"SubnetId": subnet} for subnet in subnets]


def _page(name: str, items: list[Answer], marker: str, size: int) -> Answer:
    """One page; the marker is the place of the next item."""
    start = int(marker or "0") if (marker or "0").isdigit() else 0
    size = size or cloud.current().settings["elb_page_size"]
    following = {"NextMarker": str(start + size)} if len(items) > start + size else {}
    return {name: items[start : start + size], **following}


def _chosen(items: t.Iterable[t.Any], key: str, wanted: list[str], code: str) -> list[t.Any]:
    """The items whose attribute is among the wanted ones, all without any.

    :raises Refusal: with the code when one is missing.
    """
    items = list(items)
    if not wanted:
        return items
    chosen = [item for item in items if getattr(item, key) in wanted]
    missing = set(wanted) - {getattr(item, key) for item in chosen if not _unseen(item)}
    if missing:
        raise Refusal(code, f"One or more resources not found: {', '.join(sorted(missing))}")
    return chosen


def _unseen(item: t.Any) -> bool:
    age = datetime.datetime.now(datetime.timezone.utc) - item.created
    return item.unseen(age.total_seconds(), cloud.current().settings["elb_unseen_seconds"])


class Responses(ELBV2Response):
    """Served in place of moto's."""

    # The transformers of moto expect its own objects; ours answer in the API's shapes already.
    RESPONSE_KEY_PATH_TO_TRANSFORMER: dict[str, t.Any] = {}

    @property
    def own(self) -> NetworkLoadBalancers:
        return t.cast(NetworkLoadBalancers, self.elbv2_backend)

    @action
    def create_load_balancer(
        self,
        Name: str,
        Subnets: t.Sequence[str] = (),
        SubnetMappings: t.Sequence[dict[str, str]] = (),
        SecurityGroups: t.Sequence[str] = (),
        Scheme: str = "internet-facing",
        Type: str = "application",
        Tags: t.Sequence[dict[str, str]] = (),
        IpAddressType: str = "ipv4",
        **_: t.Any,
    ) -> Answer:
        if Type != "network" or IpAddressType != "ipv4":
            raise Refusal("InvalidConfigurationRequest", "The lab has IPv4 network load balancers only")
        balancer = self.own.create_balancer(
            name=Name,
            mappings=_mappings(list(Subnets), list(SubnetMappings)),
            groups=list(SecurityGroups),
            scheme=Scheme,
            tags=list(Tags),
        )
        return {"LoadBalancers": [balancer.describe()]}

    @action
    def describe_load_balancers(
        self,
        LoadBalancerArns: t.Sequence[str] = (),
        Names: t.Sequence[str] = (),
        Marker: str = "",
        PageSize: int = 0,
    ) -> Answer:
        with self.own.lock:
            found = _chosen(self.own.balancers.values(), "arn", list(LoadBalancerArns), "LoadBalancerNotFound")
            found = _chosen(found, "name", list(Names), "LoadBalancerNotFound")
            return _page("LoadBalancers", [one.describe() for one in found], Marker, PageSize)

    @action
    def delete_load_balancer(self, LoadBalancerArn: str) -> None:
        self.own.delete_balancer(LoadBalancerArn)

    @action
    def set_security_groups(
        self,
        LoadBalancerArn: str,
        SecurityGroups: t.Sequence[str] = (),
        EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic: str | None = None,
    ) -> Answer:
        balancer = self.own.set_groups(
            LoadBalancerArn, list(SecurityGroups), EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic
        )
        return {
            "SecurityGroupIds": list(balancer.security_groups),
            "EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic": balancer.private_link,
        }

    @action
    def set_subnets(
        self,
        LoadBalancerArn: str,
        Subnets: t.Sequence[str] = (),
        SubnetMappings: t.Sequence[dict[str, str]] = (),
        **_: t.Any,
    ) -> Answer:
        balancer = self.own.set_subnets(LoadBalancerArn, _mappings(list(Subnets), list(SubnetMappings)))
        return {"AvailabilityZones": [zone.describe() for zone in balancer.zones], "IpAddressType": "ipv4"}

    @action
    def set_ip_address_type(self, LoadBalancerArn: str, IpAddressType: str) -> Answer:
        self.own.balancer(LoadBalancerArn)
        if IpAddressType != "ipv4":
            raise Refusal("InvalidConfigurationRequest", "The lab has IPv4 network load balancers only")
        return {"IpAddressType": IpAddressType}

    @action
    def create_listener(
        self,
        LoadBalancerArn: str,
        DefaultActions: list[Answer],
        Protocol: str | None = None,
        Port: int | None = None,
        SslPolicy: str | None = None,
        Certificates: t.Sequence[Answer] = (),
        Tags: t.Sequence[dict[str, str]] = (),
        **_: t.Any,
    ) -> Answer:
        if Protocol is None or Port is None:
            raise Refusal("ValidationError", "A listener protocol and port must be specified")
        if SslPolicy or Certificates:
            raise Refusal("InvalidConfigurationRequest", "SSL policy and certificates are for TLS listeners")
        listener = self.own.create_listener(
            balancer_arn=LoadBalancerArn, protocol=Protocol, port=Port, actions=DefaultActions, tags=list(Tags)
        )
        return {"Listeners": [listener.describe()]}

    @action
    def describe_listeners(
        self,
        LoadBalancerArn: str | None = None,
        ListenerArns: t.Sequence[str] = (),
        Marker: str = "",
        PageSize: int = 0,
    ) -> Answer:
        with self.own.lock:
            if LoadBalancerArn is not None:
                found = list(self.own.balancer(LoadBalancerArn).listeners.values())
            elif ListenerArns:
                found = [self.own.listener(arn) for arn in ListenerArns]
            else:
                raise Refusal("ValidationError", "You must specify either listener ARNs or a load balancer ARN")
            return _page("Listeners", [one.describe() for one in found], Marker, PageSize)

    @action
    def describe_rules(
        self,
        ListenerArn: str | None = None,
        RuleArns: t.Sequence[str] = (),
        Marker: str = "",
        PageSize: int = 0,
    ) -> Answer:
        if ListenerArn is None:
            raise Refusal("RuleNotFound", f"One or more rules not found: {', '.join(RuleArns)}")
        return {"Rules": [self.own.listener(ListenerArn).describe_rule()]}

    @action
    def modify_listener(
        self,
        ListenerArn: str,
        Protocol: str | None = None,
        Port: int | None = None,
        DefaultActions: t.Sequence[Answer] = (),
        **_: t.Any,
    ) -> Answer:
        listener = self.own.modify_listener(ListenerArn, protocol=Protocol, port=Port, actions=list(DefaultActions))
        return {"Listeners": [listener.describe()]}

    @action
    def delete_listener(self, ListenerArn: str) -> None:
        self.own.delete_listener(ListenerArn)

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
            found = _chosen(self.own.groups.values(), "arn", list(TargetGroupArns), "TargetGroupNotFound")
            found = _chosen(found, "name", list(Names), "TargetGroupNotFound")
            if LoadBalancerArn is not None:
                self.own.balancer(LoadBalancerArn)
                found = [one for one in found if LoadBalancerArn in self.own.used_by(one.arn)]
            described = [one.describe(self.own.used_by(one.arn)) for one in found]
            return _page("TargetGroups", described, Marker, PageSize)

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

    # Attributes

    @action
    def describe_load_balancer_attributes(self, LoadBalancerArn: str) -> Answer:
        return {"Attributes": attributes.listed(self.own.balancer(LoadBalancerArn).attributes)}

    @action
    def modify_load_balancer_attributes(self, LoadBalancerArn: str, Attributes: list[Answer]) -> Answer:
        balancer = self.own.balancer(LoadBalancerArn)
        self.own.modify_attributes(balancer, attributes.LOAD_BALANCER, Attributes)
        return {"Attributes": attributes.listed(balancer.attributes)}

    @action
    def describe_target_group_attributes(self, TargetGroupArn: str) -> Answer:
        return {"Attributes": attributes.listed(self.own.group(TargetGroupArn).attributes)}

    @action
    def modify_target_group_attributes(self, TargetGroupArn: str, Attributes: list[Answer]) -> Answer:
        group = self.own.group(TargetGroupArn)
        self.own.modify_attributes(group, attributes.TARGET_GROUP, Attributes)
        return {"Attributes": attributes.listed(group.attributes)}

    @action
    def describe_listener_attributes(self, ListenerArn: str) -> Answer:
        return {"Attributes": attributes.listed(self.own.listener(ListenerArn).attributes)}

    @action
    def modify_listener_attributes(self, ListenerArn: str, Attributes: list[Answer]) -> Answer:
        listener = self.own.listener(ListenerArn)
        self.own.modify_attributes(listener, attributes.LISTENER, Attributes)
        return {"Attributes": attributes.listed(listener.attributes)}

    # Tags

    @action
    def add_tags(self, ResourceArns: list[str], Tags: list[Answer]) -> None:
        self.own.tag(ResourceArns, Tags)

    @action
    def remove_tags(self, ResourceArns: list[str], TagKeys: list[str]) -> None:
        self.own.untag(ResourceArns, TagKeys)

    @action
    def describe_tags(self, ResourceArns: list[str]) -> Answer:
        return {"TagDescriptions": [{"ResourceArn": arn, "Tags": self.own.tags_of(arn)} for arn in ResourceArns]}
