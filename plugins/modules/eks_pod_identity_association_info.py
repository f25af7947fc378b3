#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_pod_identity_association_info
version_added: 0.1.0
short_description: List pod identity associations of an EKS cluster
description:
  - Returns the pod identity associations of an EKS cluster, including those of add-ons. It does not return roles that use the
    OpenID Connect provider of the cluster.
  - No maintained collection has such a module. C(community.aws) supports only clusters, node groups and Fargate profiles of EKS.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
    type: str
    required: true
  namespace:
    description:
      - Return only associations in this namespace.
    type: str
  service_account:
    description:
      - Return only associations of service accounts with this name.
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
  - "IAM actions: C(eks:ListPodIdentityAssociations) and C(eks:DescribePodIdentityAssociation)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_pod_identity_association
"""

EXAMPLES = r"""
- name: List the roles of a team's Pods
  mlfleet.hyperpod.eks_pod_identity_association_info:
    eks_cluster: ml
    region: us-west-2
    namespace: hyperpod-ns-research
"""

RETURN = r"""
eks_pod_identity_associations:
  description: The associations.
  returned: success
  type: list
  elements: dict
  contains:
    namespace:
      description: Namespace of the service account.
      type: str
      sample: research
    service_account:
      description: Name of the service account.
      type: str
      sample: train
    eks_cluster:
      description: Name of the EKS cluster.
      type: str
      sample: ml
    association_id:
      description: ID of the association.
      type: str
      sample: a-0123456789abcdef0
    association_arn:
      description: ARN of the association.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:podidentityassociation/ml/a-0123456789abcdef0
    role_arn:
      description: ARN of the role.
      type: str
      sample: arn:aws:iam::111111111111:role/hyperpod-pods-research
    target_role_arn:
      description: ARN of the role that the first role assumes, or an empty string.
      type: str
      sample: ''
    external_id:
      description: External ID that the trust policy of the target role can require, or an empty string.
      type: str
      sample: ''
    disable_session_tags:
      description: Whether session tags are disabled.
      type: bool
      sample: false
    policy:
      description:
        - The policy that restricts the role, as a dictionary, or as a text if the policy is not JSON. Empty if there is no
          policy, or if the installed botocore does not support policies.
      type: raw
      sample: {}
    owner_arn:
      description: ARN of the add-on that owns the association, or an empty string.
      type: str
      sample: ''
    tags:
      description: Tags of the association.
      type: dict
      sample: {"team": "research"}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.info import info

SPEC = {"eks_cluster": {"type": "str", "required": True}, "namespace": {"type": "str"}, "service_account": {"type": "str"}}


def read(module: t.Any) -> dict[str, t.Any]:
    return info(connect(module, "eks"), module.params, module.region)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
