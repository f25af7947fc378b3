# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Elastic Load Balancing: its answers as our values. No other file here reads the ``elbv2`` client."""

from __future__ import annotations

import typing as t

from .._aws.client import Api, AwsError
from .._aws.tags import plain_tags
from .._core import fields
from . import attributes
from .load_balancer.model import ALL_ATTRIBUTES, Listener, LoadBalancer, SubnetMapping
from .target_group.model import ATTRIBUTES, HEALTH_CHECK, PROPERTIES, TargetGroup
from .targets.model import Target

IDLE_TIMEOUT = "tcp.idle_timeout.seconds"


class Balancing(Api):
    """The ``elbv2`` client, in load balancers, target groups and targets."""

    def load_balancer(self, name: str) -> LoadBalancer | None:
        found = self.find_load_balancer(name)
        if found is None:
            return None
        arn, about = found["LoadBalancerArn"], f"load balancer {name}"
        answer = self.call("DescribeLoadBalancerAttributes", about=about, LoadBalancerArn=arn)
        return LoadBalancer(
            arn=arn,
            name=found["LoadBalancerName"],
            type=found["Type"],
            scheme=found.get("Scheme", ""),
            status=found.get("State", {}).get("Code", ""),
            dns_name=found.get("DNSName", ""),
            hosted_zone_id=found.get("CanonicalHostedZoneId", ""),
            vpc_id=found.get("VpcId", ""),
            created=found["CreatedTime"].isoformat() if "CreatedTime" in found else "",
            subnets=tuple(_mapping(zone) for zone in found.get("AvailabilityZones", ())),
            security_groups=tuple(sorted(found.get("SecurityGroups", ()))),
            attributes=attributes.observed(ALL_ATTRIBUTES, answer),
            tags=self.tags(arn, about=about),
            listeners=self.listeners(arn, about=about),
        )

    def find_load_balancer(self, name: str) -> dict[str, t.Any] | None:
        """The plain answer, without attributes, tags and listeners."""
        found = self._named("DescribeLoadBalancers", "LoadBalancers", "LoadBalancerNotFound", "load balancer", name)
        return found[0] if found else None

    def listeners(self, load_balancer_arn: str, *, about: str) -> tuple[Listener, ...]:
        found = self.pages("DescribeListeners", "Listeners", about=about, LoadBalancerArn=load_balancer_arn)
        listeners = [self._listener(each) for each in found]
        return tuple(sorted(listeners, key=lambda listener: listener.port))

    def target_group(self, name: str) -> TargetGroup | None:
        found = self.find_target_group(name)
        if found is None:
            return None
        arn, about = found["TargetGroupArn"], f"target group {name}"
        answer = self.call("DescribeTargetGroupAttributes", about=about, TargetGroupArn=arn)
        return TargetGroup(
            arn=arn,
            name=found["TargetGroupName"],
            properties=fields.observed(PROPERTIES, found),
            health_check=fields.observed(HEALTH_CHECK, found),
            attributes=attributes.observed(ATTRIBUTES, answer),
            tags=self.tags(arn, about=about),
            load_balancer_arns=tuple(found.get("LoadBalancerArns", ())),
        )

    def find_target_group(self, name_or_arn: str) -> dict[str, t.Any] | None:
        """The plain answer, without attributes and tags."""
        found = self._named("DescribeTargetGroups", "TargetGroups", "TargetGroupNotFound", "target group", name_or_arn)
        return found[0] if found else None

    def target_group_arns(self, references: t.Iterable[str]) -> dict[str, str | None]:
        """ARNs by reference; an ARN stands for itself, a name that leads nowhere for None."""
        result: dict[str, str | None] = {}
        for reference in references:
            if reference.startswith("arn:"):
                result[reference] = reference
            else:
                found = self.find_target_group(reference)
                result[reference] = found["TargetGroupArn"] if found else None
        return result

    def targets(self, target_group_arn: str, *, about: str) -> tuple[Target, ...]:
        answer = self.call("DescribeTargetHealth", about=about, TargetGroupArn=target_group_arn)
        return tuple(
            Target(
                ip=each["Target"]["Id"],
                port=each["Target"]["Port"],
                health=each["TargetHealth"]["State"],
                reason=each["TargetHealth"].get("Reason", ""),
            )
            for each in answer["TargetHealthDescriptions"]
        )

    def tags(self, arn: str, *, about: str) -> dict[str, str]:
        answer = self.call("DescribeTags", about=about, ResourceArns=[arn])
        return plain_tags(tag for each in answer["TagDescriptions"] for tag in each.get("Tags", ()))

    def _named(self, operation: str, key: str, missing: str, kind: str, name_or_arn: str) -> list[dict[str, t.Any]]:
        singular = key[:-1]
        by = {f"{singular}Arns": [name_or_arn]} if name_or_arn.startswith("arn:") else {"Names": [name_or_arn]}
        try:
            return self.call(operation, about=f"{kind} {name_or_arn}", **by)[key]
        except AwsError as error:
            if error.code == missing:
                return []
            raise

    def _listener(self, found: t.Mapping[str, t.Any]) -> Listener:
        protocol = found.get("Protocol", "")
        timeout = None
        if protocol == "TCP":
            about = f"listener {found['ListenerArn']}"
            answer = self.call("DescribeListenerAttributes", about=about, ListenerArn=found["ListenerArn"])
            text = attributes.texts(answer).get(IDLE_TIMEOUT)
            timeout = int(text) if text else None
        actions = found.get("DefaultActions") or [{}]
        return Listener(found["ListenerArn"], found["Port"], protocol, _forwarded_to(actions[0]), timeout)


def _mapping(zone: t.Mapping[str, t.Any]) -> SubnetMapping:
    addresses = zone.get("LoadBalancerAddresses") or [{}]
    return SubnetMapping(zone["SubnetId"], addresses[0].get("PrivateIPv4Address"), zone.get("ZoneName", ""))


def _forwarded_to(action: t.Mapping[str, t.Any]) -> str:
    """AWS answers with the short form, the long form, or both."""
    groups = action.get("ForwardConfig", {}).get("TargetGroups") or [{}]
    return action.get("TargetGroupArn") or groups[0].get("TargetGroupArn", "")
