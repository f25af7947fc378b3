# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listeners: each forwards a TCP port to one target group."""

from __future__ import annotations

import typing as t

from moto.moto_api._internal import mock_random

from ..action import Refusal
from .resources import Listener, LoadBalancer, TargetGroup


class Listeners:
    """The mixin of the backend for listeners. The backend provides ``lock``, ``balancers`` and the other attributes."""

    lock: t.Any
    balancers: dict[str, LoadBalancer]
    tagging_service: t.Any
    arn: t.Callable[[str], str]
    changed: t.Callable[[], None]
    balancer: t.Callable[[str], LoadBalancer]
    group: t.Callable[[str], TargetGroup]

    def listener(self, arn: str) -> Listener:
        for balancer in self.balancers.values():
            if arn in balancer.listeners:
                return balancer.listeners[arn]
        raise Refusal("ListenerNotFound", f"Listener '{arn}' not found")

    def create_listener(
        self, *, balancer_arn: str, protocol: str, port: int, actions: list[t.Any], tags: t.Any
    ) -> Listener:
        with self.lock:
            balancer = self.balancer(balancer_arn)
            group_arn = self._forward(balancer, protocol, actions)
            for existing in balancer.listeners.values():
                if existing.port == port and existing.target_group_arn == group_arn:
                    return existing
            self._free_port(balancer, port)
            path = balancer_arn.split(":loadbalancer/", 1)[1]
            arn = self.arn(f"listener/{path}/{mock_random.get_random_hex(16)}")
            listener = balancer.listeners[arn] = Listener(arn, balancer_arn, port, group_arn)
            self.tagging_service.tag_resource(arn, tags)
            self.changed()
            return listener

    def modify_listener(self, arn: str, *, protocol: str | None, port: int | None, actions: list[t.Any]) -> Listener:
        with self.lock:
            listener = self.listener(arn)
            balancer = self.balancer(listener.load_balancer_arn)
            group_arn = self._forward(balancer, protocol or "TCP", actions or listener.actions)
            if port is not None and port != listener.port:
                self._free_port(balancer, port)
                listener.port = port
            listener.target_group_arn = group_arn
            self.changed()
            return listener

    def delete_listener(self, arn: str) -> None:
        with self.lock:
            listener = self.listener(arn)
            del self.balancers[listener.load_balancer_arn].listeners[arn]
            self.tagging_service.delete_all_tags_for_resource(arn)
            self.changed()

    def _free_port(self, balancer: LoadBalancer, port: int) -> None:
        if port in {existing.port for existing in balancer.listeners.values()}:
            raise Refusal(
                "DuplicateListener", f"A listener already exists on this port for this load balancer '{balancer.arn}'"
            )

    def _forward(self, balancer: LoadBalancer, protocol: str, actions: list[dict[str, t.Any]]) -> str:
        """The target group that the actions forward to.

        :raises Refusal: for actions that a TCP listener does not support.
        """
        if protocol != "TCP":
            raise Refusal("UnsupportedProtocol", "The lab's load balancers have TCP listeners only")
        if len(actions) != 1:
            raise Refusal("ValidationError", "Exactly one default action must be specified")
        if actions[0].get("Type") != "forward":
            raise Refusal("InvalidLoadBalancerAction", "A network load balancer's listener can only forward")
        groups = actions[0].get("ForwardConfig", {}).get("TargetGroups", [])
        arns = {group["TargetGroupArn"] for group in groups} | {actions[0].get("TargetGroupArn")} - {None}
        if len(arns) != 1:
            raise Refusal("InvalidLoadBalancerAction", "The action must name exactly one target group")
        group = self.group(str(arns.pop()))
        if group.vpc_id != balancer.vpc_id:
            raise Refusal("InvalidConfigurationRequest", "The target group and the load balancer are in different VPCs")
        if set(self.used_by(group.arn)) - {balancer.arn}:
            raise Refusal(
                "TargetGroupAssociationLimit",
                f"The following target groups cannot be associated with more than one load balancer: {group.arn}",
            )
        return group.arn

    def used_by(self, group_arn: str) -> list[str]:
        """ARNs of the load balancers that have a listener with this target group."""
        return [
            balancer.arn
            for balancer in self.balancers.values()
            if group_arn in {listener.target_group_arn for listener in balancer.listeners.values()}
        ]
