#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_pod_identity_association
version_added: 0.1.0
short_description: Manage pod identity associations of an EKS cluster
description:
  - Creates, changes and removes the association of a service account in an EKS cluster with an IAM role. Pods get the role
    through EKS Pod Identity.
  - No maintained collection has such a module. C(community.aws) supports only clusters, node groups and Fargate profiles of EKS.
  - The cluster requires the add-on C(eks-pod-identity-agent). The trust policy of the role must allow C(pods.eks.amazonaws.com)
    to assume the role and to tag the session. Running Pods get the role when they restart.
  - An association that an add-on created belongs to the add-on. Use M(mlfleet.hyperpod.eks_addon) to change it.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
    type: str
    required: true
  namespace:
    description:
      - Namespace of the service account.
    type: str
    required: true
  service_account:
    description:
      - Name of the service account. The service account does not need to exist yet.
    type: str
    required: true
  state:
    description:
      - Whether the association exists.
    type: str
    choices: [present, absent]
    default: present
  role_arn:
    description:
      - ARN of the IAM role. Required for a new association.
    type: str
  target_role_arn:
    description:
      - ARN of a second role that the first role assumes for the Pods. The second role can be in a different account. To remove
        this role, remove the association and create it again.
    type: str
  disable_session_tags:
    description:
      - Whether to disable the session tags of EKS. By default, a new association has session tags.
    type: bool
  policy:
    description:
      - IAM policy, as a dictionary or as JSON text. The module compares values, not text. If this option is omitted, the policy is
        not changed. An empty policy removes the current one.
      - Pods get only permissions that both the role and this policy allow. With O(target_role_arn), the policy restricts the target
        role instead.
      - AWS accepts a policy only with O(disable_session_tags=true).
    type: raw
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
  - "IAM actions: C(eks:ListPodIdentityAssociations), C(eks:DescribePodIdentityAssociation), and to change something
    C(eks:CreatePodIdentityAssociation), C(eks:UpdatePodIdentityAssociation), C(eks:DeletePodIdentityAssociation),
    C(eks:TagResource), C(eks:UntagResource), and C(iam:PassRole) for the role."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_pod_identity_association_info
  - module: mlfleet.hyperpod.eks_addon
  - name: EKS Pod Identities
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html
"""

EXAMPLES = r"""
- name: Let the training jobs of a team read their data
  mlfleet.hyperpod.eks_pod_identity_association:
    eks_cluster: ml
    region: us-west-2
    namespace: hyperpod-ns-research
    service_account: train
    role_arn: arn:aws:iam::111111111111:role/hyperpod-pods-research

- name: Share the role with other jobs, but allow them only to read
  mlfleet.hyperpod.eks_pod_identity_association:
    eks_cluster: ml
    region: us-west-2
    namespace: hyperpod-ns-research
    service_account: reader
    role_arn: arn:aws:iam::111111111111:role/hyperpod-pods-research
    disable_session_tags: true
    policy:
      Version: "2012-10-17"
      Statement:
        - {Effect: Allow, Action: "s3:GetObject", Resource: "*"}

- name: Remove the association
  mlfleet.hyperpod.eks_pod_identity_association:
    eks_cluster: ml
    region: us-west-2
    namespace: hyperpod-ns-research
    service_account: train
    state: absent
"""

RETURN = r"""
eks_pod_identity_association:
  description: The association. In check mode, the predicted association.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the association exists. If not, only C(exists), C(namespace), C(service_account) and C(eks_cluster) are
        returned.
      type: bool
      sample: true
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
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: pod identity association research/train
      field: role_arn
      before: arn:aws:iam::111111111111:role/hyperpod-pods-old
      after: arn:aws:iam::111111111111:role/hyperpod-pods-research
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.common import TAG_OPTIONS, Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.plan import is_as_wanted, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "eks_cluster": {"type": "str", "required": True},
    "namespace": {"type": "str", "required": True},
    "service_account": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "role_arn": {"type": "str"},
    "target_role_arn": {"type": "str"},
    "disable_session_tags": {"type": "bool"},
    "policy": {"type": "raw"},
    "cluster_arn": {"type": "str"},
    **TAG_OPTIONS,
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, module.region)
    eks = connect(module, "eks")
    eks.require("CreatePodIdentityAssociation", *desired.newer_parameters)
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
