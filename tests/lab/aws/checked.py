# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Further permissions that AWS requires of the caller of an action; no call shows them, and so no call log.

Elastic Load Balancing calls EC2 with the caller's permissions. The lists are those of AWS's page "Elastic Load
Balancing API permissions", except GetSecurityGroupsForVpc: the page lacks it; callers have needed it since October 2024.
"""

from __future__ import annotations

import dataclasses
import typing as t

from .request import Call

CHECKED: dict[str, tuple[str, ...]] = {
    "elasticloadbalancing:CreateLoadBalancer": (
        "ec2:DescribeAccountAttributes",
        "ec2:DescribeAddresses",
        "ec2:DescribeInternetGateways",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcs",
        "ec2:GetSecurityGroupsForVpc",
    ),
    "elasticloadbalancing:CreateTargetGroup": ("ec2:DescribeInternetGateways", "ec2:DescribeVpcs"),
    "elasticloadbalancing:RegisterTargets": (
        "ec2:DescribeInstances",
        "ec2:DescribeInternetGateways",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcs",
    ),
    "elasticloadbalancing:SetSubnets": ("ec2:DescribeSubnets",),
}

_SERVICES = {"elasticloadbalancing": "elbv2"}
_ACTIONS = {
    (_SERVICES.get(prefix, prefix), operation): inner
    for (prefix, operation), inner in ((action.split(":"), inner) for action, inner in CHECKED.items())
}


def inner_calls(call: Call) -> t.Iterator[tuple[str, Call]]:
    """Calls that the service makes for the caller: the action, and a call that fault rules can match."""
    for action in _ACTIONS.get((call.service, call.operation), ()):
        service, operation = action.split(":")
        yield action, dataclasses.replace(call, service=_SERVICES.get(service, service), operation=operation, params={})


def refusal(call: Call, action: str) -> str:
    """The error of AWS for a call whose caller lacks a further action."""
    return (
        f"User: arn:aws:sts::{call.account}:assumed-role/lab/lab is not authorized to perform: {action} because no "
        f"identity-based policy allows the {action} action"
    )
