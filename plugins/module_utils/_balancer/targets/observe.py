# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the login nodes and the registered targets."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.wait import Clock, WaitTimeout, wait_for
from ..._hyperpod.api import HyperPod
from ..._hyperpod.model import Cluster, Node, check_node_types, require_group
from ..api import Balancing
from .decision import IN, decide
from .model import HEALTHY, NEVER_HEALTHY, SICK_SECONDS, UNHEALTHY, Desired, LoginNode, State, Target

INTERVAL = 3.0


class Observer:
    """Reads nodes and targets at each call, for example again after a wait for the lock."""

    def __init__(self, hyperpod: HyperPod, balancing: Balancing, desired: Desired, *, check_mode: bool) -> None:
        self._hyperpod = hyperpod
        self._balancing = balancing
        self._desired = desired
        self._check_mode = check_mode

    def __call__(self) -> State:
        return self._present() if self._desired.present else self._targets()

    def _present(self) -> State:
        """:raises AwsError: if the nodes cannot be listed. Without the list, no target may be removed."""
        nodes = self._list()
        state = self._targets()
        if state.target_group_arn is None and not self._check_mode and self._desired.phase != "deregister":
            refuse_option("target_group", self._desired.target_group, "a target group that exists", "it does not exist")
        return dataclasses.replace(state, nodes=nodes)

    def _targets(self) -> State:
        found = self._balancing.find_target_group(self._desired.target_group)
        if found is None:
            return State(target_group_arn=None)
        if found.get("TargetType") != "ip":
            kind = found.get("TargetType")
            refuse_option("target_group", self._desired.target_group, "a target group of type ip", f"its type is {kind}")
        arn, about = found["TargetGroupArn"], self._desired.resource
        targets = registered(self._balancing, arn, about=about)
        return State(target_group_arn=arn, registered=targets, health_check_port=found.get("HealthCheckPort"))

    def settled(self, state: State, *, timeout: float, clock: Clock = Clock()) -> State:
        """The state once every desired target is healthy, or at the end of the timeout, which is not a failure.

        This waits at most ``SICK_SECONDS`` for unhealthy targets, and the whole timeout for targets that AWS is registering.
        """

        def look() -> State:
            found = registered(self._balancing, state.target_group_arn or "", about=self._desired.resource)
            return dataclasses.replace(state, registered=found)

        def settled(*ends: str) -> t.Callable[[State], bool]:
            return lambda seen: all(
                each.health in ends for each in decide(self._desired, seen) if each.decision == IN
            )

        served = settled(HEALTHY, *NEVER_HEALTHY)
        if served(state):
            return state
        brief = min(timeout, SICK_SECONDS)
        for done, seconds in ((served, brief), (settled(HEALTHY, *NEVER_HEALTHY, *UNHEALTHY), timeout - brief)):
            try:
                return wait_for(
                    look, done=done, subject=self._desired.resource, timeout=seconds, interval=INTERVAL, clock=clock
                )
            except WaitTimeout:
                continue
        return look()

    def _list(self) -> tuple[LoginNode, ...]:
        node_types = check_node_types(self._desired.node_types)
        cluster = self._hyperpod.require_cluster(self._desired.cluster_arn or "", node_types=node_types)
        groups = self._groups(cluster)
        listed = self._hyperpod.nodes(cluster)
        of_login: tuple[Node, ...] = tuple(node for node in listed if node.group in groups)
        addressed = self._hyperpod.with_addresses(cluster, of_login)
        return tuple(LoginNode(node.instance_id, node.ip, node.status) for node in addressed)

    def _groups(self, cluster: Cluster) -> set[str]:
        """The instance groups of login nodes. They are never guessed, because with a wrong group every target would be removed."""
        if self._desired.group is not None:
            return {require_group(cluster, self._desired.group, option="group").name}
        groups = {group.name for group in cluster.groups_of_type("login")}
        if not groups:
            names = ", ".join(sorted(group.name for group in cluster.groups)) or "none"
            raise Refused(
                f"node_types: missing; cluster {cluster.name} marks no instance group as a login group. Set node_types (in the "
                f"inventory source or in this task) or group. The groups of the cluster are {names}.",
                option="node_types",
            )
        return groups


def registered(balancing: Balancing, target_group_arn: str, *, about: str) -> tuple[Target, ...]:
    answer = balancing.call("DescribeTargetHealth", about=about, TargetGroupArn=target_group_arn)
    return tuple(
        Target(
            ip=each["Target"]["Id"],
            port=each["Target"]["Port"],
            health=each["TargetHealth"]["State"],
            reason=each["TargetHealth"].get("Reason", ""),
        )
        for each in answer["TargetHealthDescriptions"]
    )
