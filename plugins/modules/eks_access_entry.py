#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_access_entry
version_added: 0.1.0
short_description: Manage access entries of an EKS cluster
description:
  - Creates, changes and removes the access entry of an IAM role or user in an EKS cluster, with its Kubernetes groups and its
    access policies.
  - No maintained collection has such a module. C(community.aws) supports only clusters, node groups and Fargate profiles of EKS.
  - Entries of AWS services, such as the one HyperPod creates for its nodes, and their policies are removed only if O(type) names
    the entry's type. Without these entries, nodes leave the cluster.
  - The module does not change the ConfigMap C(aws-auth). A cluster that uses only this ConfigMap does not support access entries.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
    type: str
    required: true
  principal_arn:
    description:
      - ARN of the IAM role or user. If a role has a path, the ARN must contain the path.
    type: str
    required: true
  state:
    description:
      - Whether the entry exists.
    type: str
    choices: [present, absent]
    default: present
  type:
    description:
      - Type of the entry, which can't be changed later. The default of a new entry is V(STANDARD), the type for users and
        programs.
    type: str
    choices: [STANDARD, EC2, EC2_LINUX, EC2_WINDOWS, FARGATE_LINUX, HYBRID_LINUX, HYPERPOD_LINUX]
  kubernetes_groups:
    description:
      - All Kubernetes groups of the entry. V([]) removes all groups. You can use the groups in your own role bindings.
    type: list
    elements: str
  username:
    description:
      - Kubernetes user name of the entry. AWS recommends the user name that EKS sets by default.
    type: str
  access_policies:
    description:
      - Access policies of the entry. Among the types for nodes, only V(EC2) can have access policies.
    type: list
    elements: dict
    suboptions:
      policy:
        description:
          - Name or ARN of the access policy, such as V(AmazonEKSViewPolicy).
        type: str
        required: true
      namespaces:
        description:
          - Namespaces in which the policy is effective. The default is the whole cluster.
        type: list
        elements: str
  purge_policies:
    description:
      - Whether to remove policies that are not in O(access_policies). If O(access_policies) is omitted, no policy is removed.
    type: bool
    default: true
  tags:
    description:
      - Tags to set. If omitted, tags are not changed.
    type: dict
    aliases: [resource_tags]
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags), except those of AWS. If O(tags) is omitted, no tag is removed.
    type: bool
    default: true
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.lock_option
  - mlfleet.hyperpod.lock_option.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(eks:DescribeAccessEntry), C(eks:ListAssociatedAccessPolicies), C(eks:DescribeCluster), and to change
    something C(eks:CreateAccessEntry), C(eks:UpdateAccessEntry), C(eks:DeleteAccessEntry), C(eks:AssociateAccessPolicy),
    C(eks:DisassociateAccessPolicy), C(eks:TagResource) and C(eks:UntagResource)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_access_entry_info
  - module: mlfleet.hyperpod.kubernetes_permission_info
  - name: Access entries
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
"""

EXAMPLES = r"""
- name: Let a team read its namespace, and add the team to a group for role bindings
  mlfleet.hyperpod.eks_access_entry:
    eks_cluster: ml
    region: us-west-2
    principal_arn: arn:aws:iam::111111111111:role/research
    kubernetes_groups: [hyperpod-ns-research-namespace-level-group]
    access_policies:
      - policy: AmazonEKSViewPolicy
        namespaces: [hyperpod-ns-research]

- name: Remove the entry of a user who has left the organization
  mlfleet.hyperpod.eks_access_entry:
    eks_cluster: ml
    region: us-west-2
    principal_arn: arn:aws:iam::111111111111:user/carol
    state: absent
"""

RETURN = r"""
eks_access_entry:
  description: The access entry. In check mode, the predicted access entry.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the entry exists. If not, only C(exists), C(principal_arn) and C(eks_cluster) are returned.
      type: bool
      sample: true
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
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: access entry arn:aws:iam::111111111111:role/research
      field: access_policies.AmazonEKSViewPolicy
      before: null
      after: hyperpod-ns-research
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.model import TYPES
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.plan import is_as_wanted, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.common import TAG_OPTIONS, Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "eks_cluster": {"type": "str", "required": True},
    "principal_arn": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "type": {"type": "str", "choices": list(TYPES)},
    "kubernetes_groups": {"type": "list", "elements": "str"},
    "username": {"type": "str"},
    "access_policies": {
        "type": "list",
        "elements": "dict",
        "options": {"policy": {"type": "str", "required": True}, "namespaces": {"type": "list", "elements": "str"}},
    },
    "purge_policies": {"type": "bool", "default": True},
    "cluster_arn": {"type": "str"},
    **TAG_OPTIONS,
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, module.region)
    eks = connect(module, "eks")
    eks.require("CreateAccessEntry")
    observer = Observer(eks, desired)
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(eks, desired.about, made=lambda: is_as_wanted(desired, observer.look())),
        result=lambda state: result(desired, state),
        lost_race=f"The {desired.about} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
