# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The Elastic Load Balancing API for load balancers, target groups and targets. A missing resource is None."""

from __future__ import annotations

import typing as t

from .._aws.client import Api, AwsError
from .._aws.tags import plain_tags

Answer = dict[str, t.Any]


class Balancing(Api):
    """The ``elbv2`` client."""

    def find_load_balancer(self, name_or_arn: str) -> Answer | None:
        """The load balancer without its attributes, tags and listeners."""
        return self._named("DescribeLoadBalancers", "LoadBalancers", "LoadBalancerNotFound", "load balancer", name_or_arn)

    def find_listeners(self, load_balancer_arn: str, *, about: str) -> list[Answer]:
        """The listeners without their attributes."""
        return self.pages("DescribeListeners", "Listeners", about=about, LoadBalancerArn=load_balancer_arn)

    def find_target_group(self, name_or_arn: str) -> Answer | None:
        """The target group without its attributes and tags."""
        return self._named("DescribeTargetGroups", "TargetGroups", "TargetGroupNotFound", "target group", name_or_arn)

    def target_group_arns(self, references: t.Iterable[str]) -> dict[str, str | None]:
        """The ARN of each reference, which is a name or an ARN; None for an unknown name."""
        result: dict[str, str | None] = {}
        for reference in references:
            if reference.startswith("arn:"):
                result[reference] = reference
            else:
                found = self.find_target_group(reference)
                result[reference] = found["TargetGroupArn"] if found else None
        return result

    def tags(self, arn: str, *, about: str) -> dict[str, str]:
        answer = self.call("DescribeTags", about=about, ResourceArns=[arn])
        return plain_tags(tag for each in answer["TagDescriptions"] for tag in each.get("Tags", ()))

    def _named(self, operation: str, key: str, missing: str, kind: str, name_or_arn: str) -> Answer | None:
        singular = key[:-1]
        by = {f"{singular}Arns": [name_or_arn]} if name_or_arn.startswith("arn:") else {"Names": [name_or_arn]}
        try:
            found: list[Answer] = self.call(operation, about=f"{kind} {name_or_arn}", **by)[key]
        except AwsError as error:
            if error.code == missing:
                return None
            raise
        return found[0] if found else None
