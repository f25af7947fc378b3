#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_addon_info
version_added: 0.1.0
short_description: List add-ons of an EKS cluster and available versions
description:
  - Returns the add-ons of an EKS cluster with their health. With O(name), the module also returns the versions of this add-on
    that EKS offers for the Kubernetes version of the cluster. With O(version), it also returns the schema of the settings of this
    version. The add-on does not need to be installed.
  - No maintained collection has such a module. C(community.aws) supports only clusters, node groups and Fargate profiles of EKS.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
    type: str
    required: true
  name:
    description:
      - Return only the add-on with this name.
    type: str
  version:
    description:
      - Version of the add-on O(name) for which the schema of the settings is returned. It is V(default), V(latest) or an exact
        version.
    type: str
  kubernetes_version:
    description:
      - Kubernetes version for which the versions of the add-on O(name) are returned, such as V("1.35"), in quotes. The cluster does
        not need to exist. The default is the version of the cluster.
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
  - "IAM actions: C(eks:DescribeAddon), C(eks:DescribePodIdentityAssociation), without O(name) C(eks:ListAddons), with O(name)
    C(eks:DescribeAddonVersions) and without O(kubernetes_version) C(eks:DescribeCluster), and with O(version)
    C(eks:DescribeAddonConfiguration)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_addon
"""

EXAMPLES = r"""
- name: List the add-ons of a cluster
  mlfleet.hyperpod.eks_addon_info:
    eks_cluster: ml
    region: us-west-2

- name: Get the settings of an add-on and the policies for its role
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
      description: Name of the add-on.
      type: str
      sample: amazon-sagemaker-hyperpod-taskgovernance
    eks_cluster:
      description: Name of the EKS cluster.
      type: str
      sample: ml
    addon_arn:
      description: ARN of the add-on.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:addon/ml/amazon-sagemaker-hyperpod-taskgovernance/0a1b2c3d
    version:
      description: Version of the add-on.
      type: str
      sample: v1.6.1-eksbuild.1
    status:
      description: Status of the add-on, as AWS returns it.
      type: str
      sample: ACTIVE
    issues:
      description: Problems that EKS reports.
      type: list
      elements: str
      sample: []
    configuration:
      description: Settings of the add-on. If they are neither JSON nor YAML, they are returned as a text.
      type: raw
      sample: {"replicas": 2}
    service_account_role_arn:
      description: IAM role of the add-on's service account, for OpenID Connect, or an empty string.
      type: str
      sample: ''
    pod_identity_associations:
      description: Pod identity associations of the add-on.
      type: list
      elements: dict
      sample: [{"service_account": "aws-node", "role_arn": "arn:aws:iam::111111111111:role/hyperpod-pods-cni"}]
    namespace:
      description: Namespace of the add-on.
      type: str
      sample: kueue-system
    tags:
      description: Tags of the add-on.
      type: dict
      sample: {"team": "research"}
eks_addon_versions:
  description: Versions of the add-on O(name), the newest first. Empty without O(name).
  returned: success
  type: list
  elements: dict
  contains:
    version:
      description: Version of the add-on.
      type: str
      sample: v1.6.1-eksbuild.1
    default:
      description: Whether this version is EKS's default for the Kubernetes version of the cluster.
      type: bool
      sample: false
    requires_configuration:
      description: Whether an installation of this version requires settings.
      type: bool
      sample: false
    requires_iam_permissions:
      description: Whether this version requires IAM permissions. Only such a version accepts its own pod identity associations.
      type: bool
      sample: false
eks_addon_configuration:
  description: Settings that O(version) of the add-on accepts. Null without O(version).
  returned: success
  type: dict
  contains:
    version:
      description: Version of the add-on.
      type: str
      sample: v1.6.1-eksbuild.1
    schema:
      description: JSON schema of the settings.
      type: dict
      sample: {"type": "object", "properties": {"replicas": {"type": "integer"}}}
    pod_identities:
      description: Service accounts of the add-on that need a role.
      type: list
      elements: dict
      contains:
        service_account:
          description: Name of the service account.
          type: str
          sample: aws-node
        recommended_managed_policies:
          description: ARNs of the AWS managed policies for the role.
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
    "kubernetes_version": {"type": "str"},
}


def read(module: t.Any) -> dict[str, t.Any]:
    return info(connect(module, "eks"), module.params, module.region)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC, required_by={"version": ("name",), "kubernetes_version": ("name",)}), read)


if __name__ == "__main__":
    main()
