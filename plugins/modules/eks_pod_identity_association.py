#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_pod_identity_association
version_added: 0.1.0
short_description: Give the pods of a service account an IAM role
description:
  - Makes, changes and removes the association of a service account in an EKS cluster with an IAM role, by EKS Pod Identity.
  - No maintained collection has such a module. C(community.aws) knows clusters, node groups and Fargate profiles of EKS.
  - The cluster needs the add-on C(eks-pod-identity-agent), and the role a trust policy that lets C(pods.eks.amazonaws.com)
    assume it and tag the session. Pods that run already get the role when they start again.
  - An association that an add-on made belongs to it; M(mlfleet.hyperpod.eks_addon) changes it.
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
      - Name of the service account. It need not exist yet.
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
      - ARN of a role, of another account for example, that the first one assumes for the pods. To have none again, remove
        the association and make another.
    type: str
  disable_session_tags:
    description:
      - Whether sessions lack the tags that EKS gives them. A new association has them if omitted.
    type: bool
  policy:
    description:
      - An IAM policy as a mapping or as a text of JSON, compared by its values. Pods get what both the role and it allow; with
        O(target_role_arn) it restricts that role. Left alone if omitted, and removed by an empty one.
      - AWS takes it with O(disable_session_tags=true) alone.
    type: raw
  tags:
    description:
      - Tags to ensure. Left alone if omitted.
    type: dict
    aliases: [resource_tags]
  purge_tags:
    description:
      - Whether tags that O(tags) does not name are removed, but for those of AWS. Without O(tags) none is.
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
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_pod_identity_association_info
  - module: mlfleet.hyperpod.eks_addon
  - name: EKS Pod Identities
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html
"""

EXAMPLES = r"""
- name: The training jobs of a team read their data
  mlfleet.hyperpod.eks_pod_identity_association:
    eks_cluster: ml
    region: us-west-2
    namespace: hyperpod-ns-research
    service_account: train
    role_arn: arn:aws:iam::111111111111:role/hyperpod-pods-research

- name: Jobs that look share the role, and may read alone
  mlfleet.hyperpod.eks_pod_identity_association:
    eks_cluster: ml
    region: us-west-2
    namespace: hyperpod-ns-research
    service_account: look
    role_arn: arn:aws:iam::111111111111:role/hyperpod-pods-research
    disable_session_tags: true
    policy:
      Version: "2012-10-17"
      Statement:
        - {Effect: Allow, Action: "s3:GetObject", Resource: "*"}

- name: Not any more
  mlfleet.hyperpod.eks_pod_identity_association:
    eks_cluster: ml
    region: us-west-2
    namespace: hyperpod-ns-research
    service_account: train
    state: absent
"""

RETURN = r"""
eks_pod_identity_association:
  description: The association; in check mode as it would be.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether it exists. If not, only the names are returned besides.
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
      description: Its ID.
      type: str
      sample: a-0123456789abcdef0
    association_arn:
      description: Its ARN.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:podidentityassociation/ml/a-0123456789abcdef0
    role_arn:
      description: ARN of the role.
      type: str
      sample: arn:aws:iam::111111111111:role/hyperpod-pods-research
    target_role_arn:
      description: ARN of the role that is assumed by the first one; empty for none.
      type: str
      sample: ''
    external_id:
      description: What the trust policy of the target role may ask for; empty without one.
      type: str
      sample: ''
    disable_session_tags:
      description: Whether sessions lack the tags that EKS gives them.
      type: bool
      sample: false
    policy:
      description:
        - The policy that restricts the role, parsed; a text where it is no JSON. Empty for none, and where the installed botocore
          is older than such policies.
      type: raw
      sample: {}
    owner_arn:
      description: ARN of the add-on that it belongs to; empty for none.
      type: str
      sample: ''
    tags:
      description: Its tags.
      type: dict
      sample: {"team": "research"}
changes:
  description: Every change that was made, or in check mode would be made.
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
        lost_race=f"{desired.about} is changed by somebody else again and again; run again.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
