# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What else AWS asks of the caller of an action: permissions that no call of ours shows, so no log of calls either.

Elastic Load Balancing looks into EC2 with the caller's permissions. The lists are those of AWS's page "Elastic Load
Balancing API permissions", but for GetSecurityGroupsForVpc: that page does not have it; callers met it from October 2024 on.
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
    """What the service looks into on behalf of the caller: the action, and a call of it as fault rules name calls."""
    for action in _ACTIONS.get((call.service, call.operation), ()):
        service, operation = action.split(":")
        yield action, dataclasses.replace(call, service=_SERVICES.get(service, service), operation=operation, params={})


def refusal(call: Call, action: str) -> str:
    """What AWS answers to a call whose caller lacks another action for it."""
    return (
        f"User: arn:aws:sts::{call.account}:assumed-role/lab/lab is not authorized to perform: {action} because no "
        f"identity-based policy allows the {action} action"
    )
