# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Health issues of a node group, and the next step for each code."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.text import printable

Answer = t.Mapping[str, t.Any]
_CHECK_TEMPLATE = "correct the launch template in a new version, and set launch_template.version to it"
_RECREATE = "create a new node group and remove this one, because EKS can't restore its resources"
_LATER = "run again later"
NOT_JOINED = "NodeCreationFailure"
"""The code of an issue that does not contain its cause, so that the module reads what nodes need to join."""
NEXT_STEPS: t.Mapping[str, str] = {
    "AccessDenied": "ensure that the node role has an access entry of type EC2_LINUX or a mapping in ConfigMap aws-auth",
    "AmiIdNotFound": "use an AMI that exists in this Region and that the account may use",
    "AsgInstanceLaunchFailures": "see the message: EC2 lacks capacity (use other subnets, instance types or a reservation), a quota"
    " is too low, or the launch template is invalid",
    "AutoScalingGroupInstanceRefreshActive": "wait until the instance refresh of the Auto Scaling group has ended, or cancel it",
    "AutoScalingGroupInvalidConfiguration": "restore the settings of the Auto Scaling group that EKS created, or create a new node"
    " group and remove this one",
    "AutoScalingGroupNotFound": _RECREATE,
    "AutoScalingGroupOptInRequired": "enable EC2 Auto Scaling for the account in this Region",
    "AutoScalingGroupRateLimitExceeded": _LATER,
    "ClusterUnreachable": "check the endpoint access of the cluster, and the routes and security groups between the nodes and the"
    " API server",
    "Ec2InstanceTypeDoesNotExist": "use instance types that exist in this Region",
    "Ec2LaunchTemplateDeletionFailure": "remove what uses the launch template that EKS created",
    "Ec2LaunchTemplateInvalidConfiguration": _CHECK_TEMPLATE,
    "Ec2LaunchTemplateMaxLimitExceeded": "remove unused launch templates, or request a higher quota for launch templates",
    "Ec2LaunchTemplateNotFound": _RECREATE,
    "Ec2LaunchTemplateVersionMaxLimitExceeded": "remove unused versions of the launch template",
    "Ec2LaunchTemplateVersionMismatch": "set the Auto Scaling group back to the version of the launch template that EKS created",
    "Ec2SecurityGroupDeletionFailure": "remove what uses the security group for remote access",
    "Ec2SecurityGroupNotFound": "create a new cluster, because EKS can't restore the security group of this one",
    "Ec2SubnetInvalidConfiguration": "use private subnets with a NAT gateway or VPC endpoints, or enable public IPv4 addresses for"
    " the subnets",
    "Ec2SubnetListTooLong": "use fewer subnets",
    "Ec2SubnetMissingIpv6Assignment": "enable automatic IPv6 addresses for the subnets",
    "Ec2SubnetNotFound": _RECREATE,
    "IamInstanceProfileNotFound": _RECREATE,
    "IamLimitExceeded": "remove unused instance profiles, or request a higher IAM quota",
    "IamNodeRoleNotFound": "create the node role again with the same name and policies",
    "IamThrottling": _LATER,
    "InstanceLimitExceeded": "request a higher EC2 quota for the instance type",
    "InsufficientFreeAddresses": "use subnets with more free addresses, or release addresses",
    "InternalFailure": f"{_LATER}, and contact AWS Support if the issue stays",
    "KubernetesLabelInvalid": "correct the labels",
    NOT_JOINED: "check the policies and the access entry of the node role, the route from the subnets to the API server"
    " and to the registry, the security groups, and the user data: aws ec2 get-console-output --instance-id ID",
    "NodeTerminationFailure": "check the instances and their scale-in protection in the Auto Scaling group",
    "PodEvictionFailure": "change the Pod disruption budget that blocks the eviction, or set force_update=true",
    "SourceEc2LaunchTemplateNotFound": "create a new node group with another launch template, because its template was deleted",
}
"""By the code of a health issue or of an error of an update."""
UNKNOWN = "correct the problem that EKS reports"
"""The next step for all other codes."""


@dataclass(frozen=True)
class Issue:
    code: str
    message: str = ""
    resources: tuple[str, ...] = ()
    explanation: str = ""
    """The causes that this module found, with their next steps."""

    @classmethod
    def from_api(cls, answer: Answer) -> Issue:
        """An issue of a group, or an error of an update."""
        code, message = (answer.get(name) or answer.get(f"error{name.title()}") or "" for name in ("code", "message"))
        return cls(printable(code or "Unknown"), printable(message), tuple(map(printable, answer.get("resourceIds") or ())))

    def __str__(self) -> str:
        affected = f" [{', '.join(self.resources)}]" if self.resources else ""
        return f"{self.code}: {self.message}{affected}" if self.message else f"{self.code}{affected}"

    @property
    def next_step(self) -> str:
        return self.explanation or NEXT_STEPS.get(self.code, UNKNOWN)

    def to_result(self) -> dict[str, t.Any]:
        return {
            "code": self.code,
            "message": self.message,
            "resources": list(self.resources),
            "next_step": self.next_step,
        }


def next_steps(issues: t.Iterable[Issue]) -> str:
    """The next steps for the issues, without duplicates. Known codes have precedence."""
    issues = tuple(issues)
    known = [issue.next_step for issue in issues if issue.code in NEXT_STEPS]
    return "; ".join(dict.fromkeys(known)) or (UNKNOWN if issues else f"EKS gives no reason; {_LATER}")
