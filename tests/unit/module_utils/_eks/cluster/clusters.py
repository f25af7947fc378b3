# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An EKS cluster as EKS describes it, for the tests of this folder."""

from __future__ import annotations

import typing as t

ARN = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
NETWORK = {
    "vpcId": "vpc-1",
    "subnetIds": ["subnet-1", "subnet-2"],
    "securityGroupIds": ["sg-1"],
    "clusterSecurityGroupId": "sg-2",
    "endpointPublicAccess": True,
    "endpointPrivateAccess": True,
    "publicAccessCidrs": ["203.0.113.0/24"],
}
ANSWER: dict[str, t.Any] = {
    "name": "ml",
    "arn": ARN,
    "status": "ACTIVE",
    "version": "1.34",
    "roleArn": "role",
    "endpoint": "https://x",
    "certificateAuthority": {"data": "pem"},
    "resourcesVpcConfig": NETWORK,
    "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
    "logging": {"clusterLogging": [{"types": ["api"], "enabled": True}]},
    "accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": False},
    "upgradePolicy": {"supportType": "EXTENDED"},
    "deletionProtection": False,
    "clientRequestToken": "token",
    "tags": {"a": "b"},
}


def described(**more: t.Any) -> dict[str, t.Any]:
    """The reply of DescribeCluster, without ``cluster``. Fields of the network are given as fields of the cluster."""
    network = {**NETWORK, **{name: more.pop(name) for name in NETWORK if name in more}}
    return {**ANSWER, "resourcesVpcConfig": network, **more}
