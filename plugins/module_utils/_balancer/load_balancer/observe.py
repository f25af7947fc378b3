# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a load balancer and the resources of its listeners and subnets, and can wait until AWS has finished changing it."""

from __future__ import annotations

import typing as t

from ..._aws.network import Network
from ..._aws.statuses import Statuses
from ..._core.wait import wait_for
from .. import attributes
from ..api import Balancing
from .model import ALL_ATTRIBUTES, Desired, Listener, LoadBalancer, State, SubnetMapping

IDLE_TIMEOUT = "tcp.idle_timeout.seconds"
INTERVAL = 3.0
GONE = "missing"
BALANCER = Statuses(
    "elbv2", "LoadBalancerStateEnum", settled=("active", "active_impaired"), busy=("provisioning",), failed=("failed",)
)


class Observer:
    """Reads one load balancer. With ``timeout`` 0, it does not wait."""

    def __init__(self, balancing: Balancing, network: Network, desired: Desired, *, timeout: float) -> None:
        self._balancing = balancing
        self._network = network
        self._desired = desired
        self._timeout = timeout

    def __call__(self) -> State:
        return self._present() if self._desired.present else self._absent()

    def _present(self) -> State:
        """The current state. With a timeout, first waits until AWS has provisioned the load balancer."""
        desired = self._desired
        found = observe(self._balancing, desired.name)
        if found is not None and found.type == "network" and self._timeout:
            found = self._provisioned(found)
        there = {mapping.subnet_id for mapping in found.subnets} if found is not None else set()
        wanted = {mapping.subnet_id for mapping in desired.subnets or ()}
        references = {listener.target_group for listener in desired.listeners or ()}
        return State(
            load_balancer=found,
            target_groups=self._balancing.target_group_arns(sorted(references)),
            subnets=self._network.subnets(wanted - there),
        )

    def _absent(self) -> State:
        """The current state. After a deletion, waits until the network interfaces, which use the security groups, are removed."""
        found = observe(self._balancing, self._desired.name)
        if found is None and self._timeout:
            wait_for(
                lambda: self._network.interfaces_of(self._desired.name),
                done=lambda interfaces: not interfaces,
                subject=f"{self._desired.resource} (deleted)",
                timeout=self._timeout,
                interval=INTERVAL,
                state=lambda interfaces: f"using the network interfaces {', '.join(interfaces)}",
            )
        return State(load_balancer=found)

    def _provisioned(self, found: LoadBalancer) -> LoadBalancer | None:
        if found.status in BALANCER.settled:
            return found
        wait_for(
            self._status,
            done=lambda status: status in BALANCER.settled,
            failed=_next_step,
            subject=self._desired.resource,
            timeout=self._timeout,
            interval=INTERVAL,
        )
        return observe(self._balancing, self._desired.name)

    def _status(self) -> str:
        found = self._balancing.find_load_balancer(self._desired.name)
        return found.get("State", {}).get("Code", "") if found is not None else GONE


def _next_step(status: str) -> str | None:
    """What an operator must do; None while the status may still change."""
    if status == GONE:
        return "run again to create it"
    return "delete it and run again" if status in BALANCER.failed else None


def observe(balancing: Balancing, name_or_arn: str) -> LoadBalancer | None:
    found = balancing.find_load_balancer(name_or_arn)
    if found is None:
        return None
    arn, about = found["LoadBalancerArn"], f"load balancer {name_or_arn}"
    answer = balancing.call("DescribeLoadBalancerAttributes", about=about, LoadBalancerArn=arn)
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
        tags=balancing.tags(arn, about=about),
        listeners=_listeners(balancing, arn, about=about),
    )


def _mapping(zone: t.Mapping[str, t.Any]) -> SubnetMapping:
    addresses = zone.get("LoadBalancerAddresses") or [{}]
    return SubnetMapping(zone["SubnetId"], addresses[0].get("PrivateIPv4Address"), zone.get("ZoneName", ""))


def _listeners(balancing: Balancing, load_balancer_arn: str, *, about: str) -> tuple[Listener, ...]:
    found = balancing.find_listeners(load_balancer_arn, about=about)
    return tuple(sorted((_listener(balancing, each) for each in found), key=lambda listener: listener.port))


def _listener(balancing: Balancing, found: t.Mapping[str, t.Any]) -> Listener:
    protocol = found.get("Protocol", "")
    timeout = None
    if protocol == "TCP":
        about = f"listener {found['ListenerArn']}"
        answer = balancing.call("DescribeListenerAttributes", about=about, ListenerArn=found["ListenerArn"])
        text = attributes.texts(answer).get(IDLE_TIMEOUT)
        timeout = int(text) if text else None
    actions = found.get("DefaultActions") or [{}]
    return Listener(found["ListenerArn"], found["Port"], protocol, _forwarded_to(actions[0]), timeout)


def _forwarded_to(action: t.Mapping[str, t.Any]) -> str:
    """The ARN of the target group of an action. AWS returns the ARN itself, a list of target groups, or both."""
    groups = action.get("ForwardConfig", {}).get("TargetGroups") or [{}]
    return action.get("TargetGroupArn") or groups[0].get("TargetGroupArn", "")
