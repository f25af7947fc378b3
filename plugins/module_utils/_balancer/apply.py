# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies plans for load balancers, target groups and targets.

A reply can get lost after the call took effect. botocore then repeats the call, which fails with "already exists" or "not
found". These errors are accepted if the result is the requested one. In addition, neither reads nor changes may find a new resource
for some seconds.
"""

from __future__ import annotations

import typing as t

from .._aws.client import AwsError
from .._aws.tags import plain_tags
from .._core.plan import KNOWN_AFTER_APPLY, Step
from .._core.wait import Clock, wait_for
from .api import Balancing

Arguments = dict[str, t.Any]
Creation = t.Callable[[Arguments], str]

GONE_ALREADY: dict[str, tuple[str, ...]] = {
    "DeleteListener": ("ListenerNotFound",),
    "DeleteLoadBalancer": ("LoadBalancerNotFound",),
    "DeleteTargetGroup": ("TargetGroupNotFound",),
}
NOT_FOUND = ("LoadBalancerNotFound", "TargetGroupNotFound")
BUSY = "ResourceInUse"
INTERVAL = 2.0
PROPAGATION_SECONDS, PROPAGATION_INTERVAL = 30.0, 1.0


class Applier:
    """Applies the steps of load balancers, target groups and targets.

    An ARN that the plan could not know is replaced by the ARN of the resource that an earlier step of the plan created.
    """

    def __init__(
        self, balancing: Balancing, *, about: str, timeout: float, wait: bool = True, clock: Clock = Clock()
    ) -> None:
        self.balancing = balancing
        self.about = about
        self.timeout = timeout
        self.wait = wait
        self.clock = clock
        self.created: dict[str, str] = {}
        self.registered: set[tuple[str, int]] = set()
        self.creations: dict[str, tuple[str, Creation]] = {
            "CreateLoadBalancer": ("LoadBalancerArn", self._create_load_balancer),
            "CreateTargetGroup": ("TargetGroupArn", self._create_target_group),
            "CreateListener": ("ListenerArn", self._create_listener),
        }
        self.lookups = {
            "LoadBalancerArn": balancing.find_load_balancer,
            "TargetGroupArn": balancing.find_target_group,
        }

    def __call__(self, step: Step) -> None:
        arguments = {name: self._known(name, value) for name, value in step.arguments.items()}
        if step.operation in self.creations:
            parameter, create = self.creations[step.operation]
            self.created[parameter] = create(arguments)
            self._wait_until_found(parameter)
        elif step.operation == "DeleteTargetGroup":
            self._delete_target_group(arguments)
        else:
            self._call(step.operation, arguments)
        if step.operation == "RegisterTargets":
            self.registered |= {(target["Id"], target["Port"]) for target in arguments["Targets"]}
        if step.operation == "DeleteLoadBalancer" and self.wait:
            self._wait_until_gone(arguments["LoadBalancerArn"])

    def _known(self, name: str, value: t.Any) -> t.Any:
        return self.created[name] if value == KNOWN_AFTER_APPLY else value

    def _call(self, operation: str, arguments: Arguments) -> dict[str, t.Any]:
        fresh = any(value in self.created.values() for value in arguments.values() if isinstance(value, str))

        def answer() -> dict[str, t.Any] | None:
            try:
                return self.balancing.call(operation, about=self.about, **arguments)
            except AwsError as error:
                if error.code in GONE_ALREADY.get(operation, ()):
                    return {}
                if fresh and error.code in NOT_FOUND:
                    return None
                raise

        return self._once_found(answer) or {}

    def _wait_until_found(self, parameter: str) -> None:
        """Wait until AWS returns the resource that was just created."""
        arn, look = self.created[parameter], self.lookups.get(parameter)
        if look is not None:
            self._once_found(lambda: look(arn))

    def _once_found(self, look: t.Callable[[], dict[str, t.Any] | None]) -> dict[str, t.Any] | None:
        return wait_for(
            look,
            done=lambda found: found is not None,
            subject=self.about,
            timeout=PROPAGATION_SECONDS,
            interval=PROPAGATION_INTERVAL,
            state=lambda found: "not found, although AWS reports that it exists,",
            clock=self.clock,
        )

    def _create_load_balancer(self, arguments: Arguments) -> str:
        try:
            return self._call("CreateLoadBalancer", arguments)["LoadBalancers"][0]["LoadBalancerArn"]
        except AwsError as error:
            if error.code != "DuplicateLoadBalancerName":
                raise
            found = self._once_found(lambda: self.balancing.find_load_balancer(arguments["Name"]))
            return self._own(error, found["LoadBalancerArn"] if found else None, arguments)

    def _create_target_group(self, arguments: Arguments) -> str:
        try:
            return self._call("CreateTargetGroup", arguments)["TargetGroups"][0]["TargetGroupArn"]
        except AwsError as error:
            if error.code != "DuplicateTargetGroupName":
                raise
            found = self._once_found(lambda: self.balancing.find_target_group(arguments["Name"]))
            return self._own(error, found["TargetGroupArn"] if found else None, arguments)

    def _own(self, error: AwsError, arn: str | None, arguments: Arguments) -> str:
        """The ARN of the existing resource. Its tags must be the requested ones, which proves that an earlier attempt of our call
        created it. Otherwise, ``error`` is raised.
        """
        asked = plain_tags(arguments.get("Tags"))
        if arn is not None and asked.items() <= self.balancing.tags(arn, about=self.about).items():
            return arn
        raise error

    def _create_listener(self, arguments: Arguments) -> str:
        try:
            return self._call("CreateListener", arguments)["Listeners"][0]["ListenerArn"]
        except AwsError as error:
            if error.code == "DuplicateListener":
                for listener in self.balancing.find_listeners(arguments["LoadBalancerArn"], about=self.about):
                    if listener["Port"] == arguments["Port"]:
                        return listener["ListenerArn"]
            raise

    def _delete_target_group(self, arguments: Arguments) -> None:
        """Delete a target group. A load balancer that was just deleted still uses its target group for some seconds."""

        def deleted() -> bool:
            try:
                self._call("DeleteTargetGroup", arguments)
            except AwsError as error:
                if error.code != BUSY:
                    raise
                return False
            return True

        wait_for(
            deleted,
            done=bool,
            subject=self.about,
            timeout=self.timeout if self.wait else 0,
            interval=INTERVAL,
            state=lambda gone: "in use by a load balancer",
        )

    def _wait_until_gone(self, arn: str) -> None:
        wait_for(
            lambda: self.balancing.find_load_balancer(arn),
            done=lambda found: found is None,
            subject=self.about,
            timeout=self.timeout,
            interval=INTERVAL,
            state=lambda found: "being deleted",
        )
