# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a target group."""

from __future__ import annotations

from ..._core import fields
from .. import attributes
from ..api import Balancing
from .model import ATTRIBUTES, HEALTH_CHECK, PROPERTIES, TargetGroup


def observe(balancing: Balancing, name_or_arn: str) -> TargetGroup | None:
    found = balancing.find_target_group(name_or_arn)
    if found is None:
        return None
    arn, about = found["TargetGroupArn"], f"target group {name_or_arn}"
    answer = balancing.call("DescribeTargetGroupAttributes", about=about, TargetGroupArn=arn)
    return TargetGroup(
        arn=arn,
        name=found["TargetGroupName"],
        properties=fields.observed(PROPERTIES, found),
        health_check=fields.observed(HEALTH_CHECK, found),
        attributes=attributes.observed(ATTRIBUTES, answer),
        tags=balancing.tags(arn, about=about),
        load_balancer_arns=tuple(found.get("LoadBalancerArns", ())),
    )
