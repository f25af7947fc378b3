#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: compute_quota
version_added: 0.1.0
short_description: Keep the compute quota of a team on a SageMaker HyperPod cluster with EKS
description:
  - Makes, changes and removes the compute quota of task governance that guarantees a team its part of a cluster, and says what the
    team lends and borrows. AWS makes the team's namespace and queues from it. AWS calls it a compute allocation, too.
  - A quota is known by its team. One of another name is neither changed nor removed.
  - What is not named is kept. An update names the version that it was planned for, so that nobody's change is lost, and is planned
    anew where somebody else was faster.
  - No other collection has compute quotas.
options:
  cluster_arn:
    description:
      - ARN of the cluster, which has EKS.
    type: str
    required: true
  name:
    description:
      - Name of the quota. AWS renames none, so one of another name is refused, and not removed.
    type: str
    required: true
  state:
    description:
      - Whether the team has it.
    type: str
    choices: [present, absent]
    default: present
  compute_quota_resources:
    description:
      - What the team is guaranteed, by instance type.
      - An instance type stands in it once, and once more for each profile of parts of its GPUs.
      - An entry that is named differs from the one that is there by what it names alone, since AWS fills in the rest.
      - At most 15.
    type: list
    elements: dict
    suboptions:
      instance_type:
        description:
          - Instance type of the cluster's instance groups, such as V(ml.p5.48xlarge).
          - Required with what it is part of.
        type: str
      count:
        description:
          - Whole instances.
          - Allowed is 0 to 10000000.
        type: int
      accelerators:
        description:
          - GPUs or Neuron devices.
          - Without C(vcpu) and C(memory_in_gib) AWS allocates both in proportion.
          - Allowed is 0 to 10000000.
        type: int
      vcpu:
        description:
          - vCPUs.
          - Allowed is 0 to 10000000.
        type: float
      memory_in_gib:
        description:
          - Memory.
          - Allowed is 0 to 10000000.
        type: float
      accelerator_partition:
        description:
          - Parts of GPUs, which NVIDIA calls MIG.
        type: dict
        suboptions:
          type:
            description:
              - Profile of the parts.
              - Required with what it is part of.
            type: str
            choices:
              - mig-1g.5gb
              - mig-1g.10gb
              - mig-1g.18gb
              - mig-1g.20gb
              - mig-1g.23gb
              - mig-1g.35gb
              - mig-1g.45gb
              - mig-1g.47gb
              - mig-2g.10gb
              - mig-2g.20gb
              - mig-2g.35gb
              - mig-2g.45gb
              - mig-2g.47gb
              - mig-3g.20gb
              - mig-3g.40gb
              - mig-3g.71gb
              - mig-3g.90gb
              - mig-3g.93gb
              - mig-4g.20gb
              - mig-4g.40gb
              - mig-4g.71gb
              - mig-4g.90gb
              - mig-4g.93gb
              - mig-7g.40gb
              - mig-7g.80gb
              - mig-7g.141gb
              - mig-7g.180gb
              - mig-7g.186gb
          count:
            description:
              - How many parts.
              - Allowed is 0 to 10000000. Required with what it is part of.
            type: int
  resource_sharing_config:
    description:
      - What the team lends of what it leaves idle, and what it borrows of what others do.
    type: dict
    suboptions:
      strategy:
        description:
          - Whether it lends and borrows.
          - Required with what it is part of.
        type: str
        choices:
          - Lend
          - DontLend
          - LendAndBorrow
      borrow_limit:
        description:
          - Percent of its quota that the team may borrow.
          - Only with C(strategy) V(LendAndBorrow).
          - Allowed is 0 to 10000.
        type: int
      absolute_borrow_limits:
        description:
          - How much it may borrow at most of an instance type, whatever the percentage allows.
          - Only with C(strategy) V(LendAndBorrow).
          - At most 15.
        type: list
        elements: dict
        suboptions:
          instance_type:
            description:
              - Instance type of the cluster's instance groups, such as V(ml.p5.48xlarge).
              - Required with what it is part of.
            type: str
          count:
            description:
              - Whole instances.
              - Allowed is 0 to 10000000.
            type: int
          accelerators:
            description:
              - GPUs or Neuron devices.
              - Without C(vcpu) and C(memory_in_gib) AWS allocates both in proportion.
              - Allowed is 0 to 10000000.
            type: int
          vcpu:
            description:
              - vCPUs.
              - Allowed is 0 to 10000000.
            type: float
          memory_in_gib:
            description:
              - Memory.
              - Allowed is 0 to 10000000.
            type: float
          accelerator_partition:
            description:
              - Parts of GPUs, which NVIDIA calls MIG.
            type: dict
            suboptions:
              type:
                description:
                  - Profile of the parts.
                  - Required with what it is part of.
                type: str
                choices:
                  - mig-1g.5gb
                  - mig-1g.10gb
                  - mig-1g.18gb
                  - mig-1g.20gb
                  - mig-1g.23gb
                  - mig-1g.35gb
                  - mig-1g.45gb
                  - mig-1g.47gb
                  - mig-2g.10gb
                  - mig-2g.20gb
                  - mig-2g.35gb
                  - mig-2g.45gb
                  - mig-2g.47gb
                  - mig-3g.20gb
                  - mig-3g.40gb
                  - mig-3g.71gb
                  - mig-3g.90gb
                  - mig-3g.93gb
                  - mig-4g.20gb
                  - mig-4g.40gb
                  - mig-4g.71gb
                  - mig-4g.90gb
                  - mig-4g.93gb
                  - mig-7g.40gb
                  - mig-7g.80gb
                  - mig-7g.141gb
                  - mig-7g.180gb
                  - mig-7g.186gb
              count:
                description:
                  - How many parts.
                  - Allowed is 0 to 10000000. Required with what it is part of.
                type: int
  preempt_team_tasks:
    description:
      - Whether tasks of the team with a higher priority preempt its others.
    type: str
    choices:
      - Never
      - LowerPriority
  team_name:
    description:
      - Name of the team.
    type: str
    required: true
  fair_share_weight:
    description:
      - Weight of the team where idle compute is shared by weights.
      - Allowed is 0 to 100.
    type: int
  activation_state:
    description:
      - Whether the quota is in force.
    type: str
    choices:
      - Enabled
      - Disabled
  description:
    description:
      - What it is for.
    type: str
  allow_oversubscription:
    description:
      - Whether quotas that are in force may guarantee more of an instance type than the instance groups of the cluster shall have,
        as where an autoscaler adds nodes. Without it that is refused before anything changes.
      - Whole instances, accelerators, vCPUs, memory and parts of GPUs are compared, all but the first with what EC2 tells of the
        type. A flexible group counts with its whole size for each of its types.
      - Into which parts the GPUs of an instance group are cut is told by its label C(nvidia.com/mig.config), such as
        V(all-1g.10gb). A group without it has no parts. GPUs that are cut are no whole accelerators, and an instance that has them
        is one with all of its parts. Where a group of the type has a value that names another configuration, such as
        V(all-balanced), parts of the type's GPUs are not compared.
    type: bool
    default: false
  tags:
    description:
      - Tags to ensure. Without it tags are left alone, and not read.
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether tags that O(tags) does not list are removed. Tags of AWS itself always stay.
    type: bool
    default: true
  recreate:
    description:
      - Whether one that AWS changes no more is deleted and made again. Those are V(CreateFailed), V(CreateRollbackFailed),
        V(UpdateRollbackFailed), V(DeleteFailed) and V(DeleteRollbackFailed). Without it they are refused. An update that failed is
        sent again without it.
      - All settings that it has and that differ from AWS's defaults must be named, and its tags, so that the next run makes it
        whole where this one ends between the two calls. Those that are missing are told before anything changes.
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait for each operation, V(1) to V(86400). What an earlier run or somebody else began is waited for first.
    type: int
    default: 1800
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
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListComputeQuotas),
    C(sagemaker:DescribeComputeQuota), C(ec2:DescribeInstanceTypes) where something else than whole instances is compared, to
    change something C(sagemaker:CreateComputeQuota), C(sagemaker:UpdateComputeQuota) and
    C(sagemaker:DeleteComputeQuota), and for O(tags) C(sagemaker:ListTags), C(sagemaker:AddTags) and
    C(sagemaker:DeleteTags)."
  - The cluster needs the EKS add-on C(amazon-sagemaker-hyperpod-taskgovernance).
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.compute_quota_info
  - module: mlfleet.hyperpod.cluster_scheduler_config
  - name: CreateComputeQuota
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateComputeQuota.html
"""

EXAMPLES = r"""
- name: Two nodes for a team, which may borrow half as much again
  mlfleet.hyperpod.compute_quota:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: research
    team_name: research
    fair_share_weight: 50
    compute_quota_resources:
      - {instance_type: ml.p5.48xlarge, count: 2}
    resource_sharing_config:
      strategy: LendAndBorrow
      borrow_limit: 50

- name: None for a team that has left
  mlfleet.hyperpod.compute_quota:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: vision
    team_name: vision
    state: absent
"""

RETURN = r"""
compute_quota:
  description: The compute quota; in check mode as it would be.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether there is one. If not, only what names it is returned besides.
      type: bool
      sample: true
    name:
      description: Its name.
      type: str
      sample: research
    compute_quota_id:
      description: Its ID.
      type: str
      sample: abc123def456
    compute_quota_arn:
      description: Its ARN.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:compute-quota/abc123def456
    version:
      description: Its version, which each update raises.
      type: int
      sample: 1
    status:
      description: Its status, in AWS's words.
      type: str
      sample: Created
    failure_reason:
      description: Why it failed, or an empty string.
      type: str
      sample: ""
    team_name:
      description: Name of the team.
      type: str
      sample: research
    fair_share_weight:
      description: Weight of the team.
      returned: where AWS says so
      type: int
      sample: 50
    activation_state:
      description: V(Enabled) or V(Disabled).
      returned: where AWS says so
      type: str
      sample: Enabled
    compute_quota_resources:
      description: What the team is guaranteed, with what AWS has allocated in proportion.
      returned: where AWS says so
      type: list
      elements: dict
      sample: [{"instance_type": "ml.p5.48xlarge", "count": 2}]
    resource_sharing_config:
      description: What the team lends and borrows.
      returned: where AWS says so
      type: dict
      sample: {"strategy": "LendAndBorrow", "borrow_limit": 50}
    preempt_team_tasks:
      description: V(LowerPriority) or V(Never).
      returned: where AWS says so
      type: str
      sample: LowerPriority
    description:
      description: What it is for.
      returned: where it has one
      type: str
      sample: Training
    tags:
      description: Its tags.
      returned: with O(tags)
      type: dict
      sample: {"team": "research"}
changes:
  description: Every change that was made, or in check mode would be made.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: compute quota research
      field: description
      before: null
      after: Training
"""

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.options import specification
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.resource import resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    **specification(QUOTA),
    "team_name": {"type": "str", "required": True},
    "allow_oversubscription": {"type": "bool", "default": False},
    **wait_options(timeout=1800),
    **LOCK_OPTION,
}


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), lambda module: resource(QUOTA, module))


if __name__ == "__main__":
    main()
