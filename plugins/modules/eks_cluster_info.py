#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_cluster_info
version_added: 0.1.0
short_description: Get the settings of an EKS cluster
description:
  - Returns the settings, the network and the health issues of an EKS cluster, and the data for a kubeconfig.
  - Neither C(amazon.aws) nor C(community.aws) has a module that reads an EKS cluster.
options:
  name:
    description:
      - Name or ARN of the EKS cluster.
    type: str
    required: true
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(eks:DescribeCluster)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_cluster
  - module: mlfleet.hyperpod.eks_requirement_info
  - module: mlfleet.hyperpod.kubernetes_permission_info
  - name: DescribeCluster
    description: The API reference of EKS.
    link: https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeCluster.html
"""

EXAMPLES = r"""
- name: Get the API server of a cluster
  mlfleet.hyperpod.eks_cluster_info:
    region: us-west-2
    name: ml
  register: eks
"""

RETURN = r"""
eks_cluster:
  description: The EKS cluster. Fields that are not set, or not yet set, are null.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the EKS cluster.
      type: str
      sample: ml
    arn:
      description: ARN of the EKS cluster.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:cluster/ml
    status:
      description: Status of the cluster in EKS, such as V(ACTIVE).
      type: str
      sample: ACTIVE
    issues:
      description: Problems that EKS reports.
      type: list
      elements: str
      sample: []
    version:
      description: Kubernetes version.
      type: str
      sample: "1.34"
    endpoint:
      description: URL of the API server.
      type: str
      sample: https://0123456789ABCDEF0123456789ABCDEF.gr7.us-west-2.eks.amazonaws.com
    certificate_authority:
      description: Certificate authority of the API server, in Base64 as in a kubeconfig.
      type: str
      sample: LS0tLS1CRUdJTi...
    authentication_mode:
      description: V(API), V(API_AND_CONFIG_MAP) or V(CONFIG_MAP).
      type: str
      sample: API
    vpc:
      description: Network of the EKS cluster.
      type: dict
      contains:
        vpc_id:
          description: ID of the VPC.
          type: str
          sample: vpc-0123456789abcdef0
        subnets:
          description: IDs of the subnets.
          type: list
          elements: str
          sample: [subnet-0123456789abcdef0]
        security_groups:
          description: IDs of the additional security groups.
          type: list
          elements: str
          sample: [sg-0123456789abcdef0]
        cluster_security_group:
          description: ID of the security group that EKS created.
          type: str
          sample: sg-0fedcba9876543210
        endpoint_public_access:
          description: Whether the API server can be reached from outside the VPC.
          type: bool
          sample: false
        endpoint_private_access:
          description: Whether the API server can be reached from inside the VPC without traffic that leaves the VPC.
          type: bool
          sample: true
        public_access_cidrs:
          description: Address ranges that can reach the API server from outside the VPC. Empty without public access.
          type: list
          elements: str
          sample: [203.0.113.0/24]
        open_to_internet:
          description: Whether every address of the internet can reach the API server.
          type: bool
          sample: false
    role_arn:
      description: IAM role of the cluster.
      type: str
      sample: arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-cluster
    service_ipv4_cidr:
      description: Network of the Services in the cluster.
      type: str
      sample: 172.20.0.0/16
    support_type:
      description: V(STANDARD) or V(EXTENDED). This is a policy, and not the current support of the version.
      type: str
      sample: STANDARD
    logging:
      description: Log types that are exported to CloudWatch Logs.
      type: list
      elements: str
      sample: [audit]
    encryption_key_arn:
      description: KMS key that encrypts the Secrets of the cluster, or null for a key of AWS.
      type: str
      sample: null
    deletion_protection:
      description: Whether the cluster is protected against deletion.
      type: bool
      sample: true
    tags:
      description: Tags of the cluster.
      type: dict
      sample: {"team": "research"}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.info import info

SPEC = {"name": {"type": "str", "required": True}}


def eks_cluster(module: t.Any) -> dict[str, t.Any]:
    return info(connect(module, "eks"), module.params, module.region)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), eks_cluster)


if __name__ == "__main__":
    main()
