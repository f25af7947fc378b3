#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_autoscaling
version_added: 0.1.0
short_description: Enable or disable managed Karpenter in a SageMaker HyperPod cluster
description:
  - Enables or disables managed Karpenter, the autoscaler of a cluster with EKS. The module waits until the autoscaler works or is
    removed.
  - The module sends only the autoscaler and its role to AWS. It never sends instance groups, because that would reset counts that
    the autoscaler has changed.
  - If the autoscaler has failed, the module disables and enables it again.
  - M(mlfleet.hyperpod.cluster) has the same settings. No other collection has them.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  state:
    description:
      - Whether the autoscaler is enabled.
    type: str
    choices: [present, absent]
    default: present
  cluster_role:
    description:
      - ARN of the IAM role of the autoscaler, which adds and deletes nodes. Required with O(state=present).
    type: str
  replace_role:
    description:
      - Whether to change the role of an enabled autoscaler. AWS can change the role only if the autoscaler is disabled and
        enabled again. During that time, nodes are neither added nor deleted.
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(86400).
    type: int
    default: 3600
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
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:UpdateCluster), C(iam:PassRole) on O(cluster_role), and for the reason
    of a failure C(sagemaker:ListClusterEvents) and C(sagemaker:DescribeClusterEvent)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster
  - name: Autoscaling on SageMaker HyperPod EKS
    description: The AWS guide.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling.html
"""

EXAMPLES = r"""
- name: Enable managed Karpenter
  mlfleet.hyperpod.cluster_autoscaling:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    cluster_role: arn:aws:iam::111111111111:role/hyperpod-karpenter

- name: Disable managed Karpenter after NodePools and NodeClasses are removed
  mlfleet.hyperpod.cluster_autoscaling:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: absent
"""

RETURN = r"""
autoscaling:
  description: The autoscaler. In check mode, the predicted autoscaler.
  returned: success
  type: dict
  contains:
    mode:
      description: V(Enable) or V(Disable).
      type: str
    status:
      description: V(Creating), V(InService), V(Deleting), V(Failed), or empty if there is no autoscaler.
      type: str
    failure_message:
      description: Why the autoscaler failed. Empty if it did not fail.
      type: str
    cluster_role:
      description: ARN of the autoscaler's role, or an empty string.
      type: str
  sample:
    mode: Enable
    status: InService
    failure_message: ""
    cluster_role: arn:aws:iam::111111111111:role/hyperpod-karpenter
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: autoscaler of cluster ml
      field: mode
      before: Disable
      after: Enable
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "cluster_role": {"type": "str"},
    "replace_role": {"type": "bool", "default": False},
    **wait_options(timeout=3600),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    api = connect_hyperpod(module)
    api.require("UpdateCluster", "AutoScaling", "ClusterRole")
    api.require_answer("DescribeCluster", "AutoScaling", "Status")
    observer = Observer(api, desired, waits=waits_of(module))
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(api, desired, observer),
        result=result,
        lost_race=f"The autoscaler of cluster {desired.cluster_arn} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
