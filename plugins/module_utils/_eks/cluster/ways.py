# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The next step for the operator, by the code of a health issue or of an error of an update."""

from __future__ import annotations

import typing as t

_ROLE = "attach the policy AmazonEKSClusterPolicy to the cluster's role"
WAYS = {
    "AccessDenied": f"{_ROLE}, and allow eks.amazonaws.com in its trust policy",
    "OperationNotPermitted": f"{_ROLE}, and check the service control policies of the account",
    "IamRoleNotFound": "create the cluster's role again with the same name",
    "ResourceLimitExceeded": "request a higher quota in Service Quotas",
    "EniLimitReached": "request a higher quota of network interfaces in Service Quotas, or delete unused ones",
    "IpNotAvailable": "free addresses in the subnets, or set subnet_ids to subnets with free addresses",
    "InsufficientFreeAddresses": "free addresses in the subnets, or set subnet_ids to subnets with free addresses",
    "SubnetNotFound": "set subnet_ids to existing subnets",
    "Ec2SubnetNotFound": "set subnet_ids to existing subnets",
    "SecurityGroupNotFound": "set security_group_ids to existing security groups",
    "Ec2SecurityGroupNotFound": "set security_group_ids to existing groups, or delete the cluster if EKS's own group is missing",
    "VpcNotFound": "delete the cluster, because EKS cannot move it to another VPC",
    "VpcIdNotFound": "delete the cluster, because EKS cannot move it to another VPC",
    "Ec2ServiceNotSubscribed": "complete the registration of the AWS account for EC2",
    "StsRegionalEndpointDisabled": "enable the Region's STS endpoint in the account settings of IAM",
    "KmsKeyDisabled": "enable the KMS key of the cluster",
    "KmsKeyMarkedForDeletion": "cancel the deletion of the KMS key of the cluster",
    "KmsKeyNotFound": "delete the cluster, because its KMS key no longer exists",
    "KmsGrantRevoked": "create the grant of the cluster's role on the KMS key again",
    "UnsupportedVersion": "upgrade the cluster to a version in support",
    "InternalFailure": "run again, and open a case with AWS Support if the problem remains",
}
OTHERWISE = "correct the problem and run again"


def way(codes: t.Iterable[str]) -> str:
    """The next step for the first known code."""
    return next((WAYS[code] for code in codes if code in WAYS), OTHERWISE)
