#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_addon_info
version_added: 0.1.0
short_description: Read the add-ons of an EKS cluster, and which versions EKS offers
description:
  - Returns the add-ons of an EKS cluster with their health. For one add-on by its O(name), installed or not, also the
    versions that EKS offers for the cluster's version of Kubernetes, and what one of them can be configured with.
  - No maintained collection has such a module. C(community.aws) knows clusters, node groups and Fargate profiles of EKS.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
    type: str
    required: true
  name:
    description:
      - Name of the only add-on to read.
    type: str
  version:
    description:
      - Version of the add-on O(name) whose settings are returned, V(default), V(latest), or an exact one.
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
  - "IAM actions: C(eks:ListAddons) or C(eks:DescribeAddon), C(eks:DescribePodIdentityAssociation), and for O(name)
    C(eks:DescribeCluster), C(eks:DescribeAddonVersions) and C(eks:DescribeAddonConfiguration)."
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_addon
"""

EXAMPLES = r"""
- name: The add-ons of a cluster
  mlfleet.hyperpod.eks_addon_info:
    eks_cluster: ml
    region: us-west-2

- name: Which settings does it take, and which policies does its role need?
  mlfleet.hyperpod.eks_addon_info:
    eks_cluster: ml
    region: us-west-2
    name: amazon-sagemaker-hyperpod-taskgovernance
    version: latest
"""

RETURN = r"""
eks_addons:
  description: The add-ons.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      type: str
      sample: amazon-sagemaker-hyperpod-taskgovernance
    eks_cluster:
      description: Name of the EKS cluster.
      type: str
      sample: ml
    addon_arn:
      description: Its ARN.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:addon/ml/amazon-sagemaker-hyperpod-taskgovernance/0a1b2c3d
    version:
      description: Its version.
      type: str
      sample: v1.6.1-eksbuild.1
    status:
      description: Its status, in AWS's words.
      type: str
      sample: ACTIVE
    issues:
      description: What EKS says is wrong.
      type: list
      elements: str
      sample: []
    configuration:
      description: Its settings; a text where they are neither JSON nor YAML.
      type: raw
      sample: {"replicas": 2}
    service_account_role_arn:
      description: IAM role of its service account, by OpenID Connect. Empty for none.
      type: str
      sample: ''
    pod_identity_associations:
      description: Associations that it has of its own.
      type: list
      elements: dict
      sample: [{"service_account": "aws-node", "role_arn": "arn:aws:iam::111111111111:role/hyperpod-pods-cni"}]
    namespace:
      description: Namespace in which it runs.
      type: str
      sample: kueue-system
    tags:
      description: Its tags.
      type: dict
      sample: {"team": "research"}
eks_addon_versions:
  description: The versions of the add-on O(name), the newest first. Empty without O(name).
  returned: success
  type: list
  elements: dict
  contains:
    version:
      description: The version.
      type: str
      sample: v1.6.1-eksbuild.1
    default:
      description: Whether EKS calls it the default for the cluster's version of Kubernetes.
      type: bool
      sample: false
    requires_configuration:
      description: Whether it can't be installed without settings.
      type: bool
      sample: false
    requires_iam_permissions:
      description: Whether it needs permissions of IAM. Only then it takes pod identity associations of its own.
      type: bool
      sample: false
eks_addon_configuration:
  description: What the O(version) of the add-on takes; null without O(version).
  returned: success
  type: dict
  contains:
    version:
      description: The version.
      type: str
      sample: v1.6.1-eksbuild.1
    schema:
      description: JSON schema of its settings.
      type: dict
      sample: {"type": "object", "properties": {"replicas": {"type": "integer"}}}
    pod_identities:
      description: Its service accounts that need a role.
      type: list
      elements: dict
      contains:
        service_account:
          description: Name of the service account.
          type: str
          sample: aws-node
        recommended_managed_policies:
          description: ARNs of AWS's policies for the role.
          type: list
          elements: str
          sample: [arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy]
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.info import info

SPEC = {
    "eks_cluster": {"type": "str", "required": True},
    "name": {"type": "str"},
    "version": {"type": "str"},
}


def read(module: t.Any) -> dict[str, t.Any]:
    return info(connect(module, "eks"), module.params, module.region)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC, required_by={"version": ("name",)}), read)


if __name__ == "__main__":
    main()
