# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations on load balancers, listeners and tags under the API's names; moto handles all others."""

from __future__ import annotations

import typing as t

from moto.elbv2.responses import ELBV2Response

from ..action import Refusal, action
from . import attributes
from .group_responses import TargetGroupResponses
from .listings import chosen, page
from .models import NetworkLoadBalancers

Answer = dict[str, t.Any]


def _mappings(subnets: list[str], mappings: list[dict[str, str]]) -> list[dict[str, str]]:
    if subnets and mappings:
        raise Refusal("ValidationError", "Specify either subnets or subnet mappings, not both")
    return mappings or [{"SubnetId": subnet} for subnet in subnets]


class Responses(TargetGroupResponses, ELBV2Response):
    """Replaces moto's handlers."""

    # moto's transformers expect its own objects; our handlers already return the shapes of the API.
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
            found = chosen(self.own.balancers.values(), "arn", list(LoadBalancerArns), "LoadBalancerNotFound")
            found = chosen(found, "name", list(Names), "LoadBalancerNotFound")
            return page("LoadBalancers", [one.describe() for one in found], Marker, PageSize)

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
            return page("Listeners", [one.describe() for one in found], Marker, PageSize)

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
