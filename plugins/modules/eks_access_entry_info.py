#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_access_entry_info
version_added: 0.1.0
short_description: List access entries of an EKS cluster
description:
  - Returns the access entries of an EKS cluster, with their Kubernetes groups and access policies. It does not return access that
    the ConfigMap C(aws-auth) grants.
  - No maintained collection has such a module. C(community.aws) supports only clusters, node groups and Fargate profiles of EKS.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
    type: str
    required: true
  principal_arn:
    description:
      - Return only the entry of the IAM role or user with this ARN.
    type: str
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(eks:DescribeAccessEntry), C(eks:ListAssociatedAccessPolicies), and without O(principal_arn)
    C(eks:ListAccessEntries)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_access_entry
"""

EXAMPLES = r"""
- name: List all access entries
  mlfleet.hyperpod.eks_access_entry_info:
    eks_cluster: ml
    region: us-west-2
"""

RETURN = r"""
eks_access_entries:
  description: The access entries.
  returned: success
  type: list
  elements: dict
  contains:
    principal_arn:
      description: ARN of the IAM role or user.
      type: str
      sample: arn:aws:iam::111111111111:role/people
    eks_cluster:
      description: Name of the EKS cluster.
      type: str
      sample: ml
    access_entry_arn:
      description: ARN of the entry.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:access-entry/ml/role/111111111111/people/0a1b2c3d
    type:
      description: Type of the entry.
      type: str
      sample: STANDARD
    kubernetes_groups:
      description: Kubernetes groups of the entry.
      type: list
      elements: str
      sample: [research]
    username:
      description: Kubernetes user name of the entry.
      type: str
      sample: arn:aws:sts::111111111111:assumed-role/people/{{SessionName}}
    access_policies:
      description: Access policies of the entry. A policy without namespaces is effective in the whole cluster.
      type: list
      elements: dict
      contains:
        policy:
          description: ARN of the access policy.
          type: str
          sample: arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy
        namespaces:
          description: Namespaces in which the policy is effective.
          type: list
          elements: str
          sample: []
    tags:
      description: Tags of the entry.
      type: dict
      sample: {"team": "research"}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.info import info

SPEC = {"eks_cluster": {"type": "str", "required": True}, "principal_arn": {"type": "str"}}


def read(module: t.Any) -> dict[str, t.Any]:
    return info(connect(module, "eks"), module.params, module.region)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
