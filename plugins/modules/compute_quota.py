#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: compute_quota
version_added: 0.1.0
short_description: Manage the compute quota of a team on a SageMaker HyperPod cluster with EKS
description:
  - Creates, changes and removes the compute quota of a team in task governance. The quota guarantees the team its share of a
    cluster, and defines what the team lends and borrows. AWS creates the team's namespace and queues from the quota. AWS also
    calls a quota a compute allocation.
  - A quota is identified by its team. If the team has a quota with a different name, that quota is neither changed nor removed.
  - Omitted settings are not changed. If the existing quota has a setting that is required unless already set, you can therefore
    omit this setting.
  - An update contains the version for which it was planned, so it cannot overwrite a concurrent
    change. After a concurrent change, the module plans the update again.
  - No other collection has such a module.
options:
  cluster_arn:
    description:
      - ARN of the cluster, which must use EKS.
    type: str
    required: true
  name:
    description:
      - Name of the quota. AWS cannot rename it. If the team has a quota with a different name, the module fails and does not
        remove that quota.
    type: str
    required: true
  state:
    description:
      - Whether the team has the quota.
    type: str
    choices: [present, absent]
    default: present
  compute_quota_resources:
    description:
      - Guaranteed compute of the team, by instance type.
      - There is one entry for each instance type, and one more entry for each MIG profile of its GPUs.
      - Only the fields that are set are compared with the existing entry, because AWS fills in the other fields.
      - At most 15.
    type: list
    elements: dict
    suboptions:
      instance_type:
        description:
          - Instance type of an instance group of the cluster, such as V(ml.p5.48xlarge).
          - Required unless already set.
        type: str
      count:
        description:
          - Number of whole instances.
          - Allowed range is 0 to 10000000.
        type: int
      accelerators:
        description:
          - Number of GPUs or Neuron devices.
          - If C(vcpu) and C(memory_in_gib) are omitted, AWS allocates both in proportion to the accelerators.
          - Allowed range is 0 to 10000000.
        type: int
      vcpu:
        description:
          - Number of vCPUs.
          - Allowed range is 0 to 10000000.
        type: float
      memory_in_gib:
        description:
          - Memory in GiB.
          - Allowed range is 0 to 10000000.
        type: float
      accelerator_partition:
        description:
          - GPU partitions (MIG).
        type: dict
        suboptions:
          type:
            description:
              - MIG profile.
              - Required unless already set.
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
              - Number of partitions.
              - Allowed range is 0 to 10000000. Required unless already set.
            type: int
  resource_sharing_config:
    description:
      - How the team lends its idle compute, and borrows idle compute of other teams.
    type: dict
    suboptions:
      strategy:
        description:
          - Whether the team lends and borrows.
          - Required unless already set.
        type: str
        choices:
          - Lend
          - DontLend
          - LendAndBorrow
      borrow_limit:
        description:
          - Idle compute that the team may borrow, as a percentage of its own quota.
          - Only with C(strategy) V(LendAndBorrow).
          - Allowed range is 0 to 10000.
        type: int
      absolute_borrow_limits:
        description:
          - Limits for borrowing by instance type, in addition to the percentage.
          - Only with C(strategy) V(LendAndBorrow).
          - At most 15.
        type: list
        elements: dict
        suboptions:
          instance_type:
            description:
              - Instance type of an instance group of the cluster, such as V(ml.p5.48xlarge).
              - Required unless already set.
            type: str
          count:
            description:
              - Number of whole instances.
              - Allowed range is 0 to 10000000.
            type: int
          accelerators:
            description:
              - Number of GPUs or Neuron devices.
              - If C(vcpu) and C(memory_in_gib) are omitted, AWS allocates both in proportion to the accelerators.
              - Allowed range is 0 to 10000000.
            type: int
          vcpu:
            description:
              - Number of vCPUs.
              - Allowed range is 0 to 10000000.
            type: float
          memory_in_gib:
            description:
              - Memory in GiB.
              - Allowed range is 0 to 10000000.
            type: float
          accelerator_partition:
            description:
              - GPU partitions (MIG).
            type: dict
            suboptions:
              type:
                description:
                  - MIG profile.
                  - Required unless already set.
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
                  - Number of partitions.
                  - Allowed range is 0 to 10000000. Required unless already set.
                type: int
  preempt_team_tasks:
    description:
      - Whether tasks of the team with a higher priority preempt other tasks of the team.
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
      - Weight of the team if idle compute is shared by weights.
      - Allowed range is 0 to 100.
    type: int
  activation_state:
    description:
      - Whether the quota is in effect.
    type: str
    choices:
      - Enabled
      - Disabled
  description:
    description:
      - Description, at most 1024 characters.
    type: str
  allow_oversubscription:
    description:
      - Whether the active quotas together may guarantee more compute of an instance type than the instance groups have at their
        requested size. Set this option, for example, if an autoscaler adds nodes. With V(false), a quota that exceeds this limit
        is refused before anything changes.
      - The module compares whole instances, accelerators, vCPUs, memory and GPU partitions. For all of these except whole
        instances, it uses EC2's data about the instance type. A group with several instance types counts with its full size for
        each of its types.
      - The label C(nvidia.com/mig.config) of an instance group, such as V(all-1g.10gb), defines the GPU partitions of the group.
        A group without this label has no partitions.
      - Partitioned GPUs do not count as whole accelerators. An instance with partitioned GPUs counts with the maximum number of
        partitions of its MIG profile. If the label of any group of an instance type selects more than one profile, such as
        V(all-balanced), partitions of this type are not compared.
    type: bool
    default: false
  tags:
    description:
      - Tags to set. If omitted, tags are neither changed nor read.
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags). Tags of AWS are never removed.
    type: bool
    default: true
  recreate:
    description:
      - Whether to delete the quota and create it again if AWS can no longer change it. This is the case with the status
        V(CreateFailed), V(CreateRollbackFailed), V(UpdateRollbackFailed), V(DeleteFailed) or V(DeleteRollbackFailed). With
        V(false), a quota with such a status is refused. After a failed update, the module sends the update again in any case.
      - With V(true), also set all tags, and all settings that differ from the defaults of AWS. If a run ends after the deletion,
        the next run can then complete the operation. Missing settings are refused before anything changes.
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait for each operation, V(1) to V(86400). The module first waits for operations of other runs.
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
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListComputeQuotas), C(sagemaker:DescribeComputeQuota),
    C(ec2:DescribeInstanceTypes) if a quota contains more than whole instances, to change something
    C(sagemaker:CreateComputeQuota), C(sagemaker:UpdateComputeQuota) and C(sagemaker:DeleteComputeQuota), and for O(tags)
    C(sagemaker:ListTags), C(sagemaker:AddTags) and C(sagemaker:DeleteTags)."
  - The cluster needs the EKS add-on C(amazon-sagemaker-hyperpod-taskgovernance).
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.compute_quota_info
  - module: mlfleet.hyperpod.cluster_scheduler_config
  - name: CreateComputeQuota
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateComputeQuota.html
"""

EXAMPLES = r"""
- name: Guarantee a team two nodes, and let it borrow one more
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

- name: Remove the quota of a former team
  mlfleet.hyperpod.compute_quota:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: vision
    team_name: vision
    state: absent
"""

RETURN = r"""
compute_quota:
  description: The compute quota. In check mode, the predicted compute quota.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the quota exists. If not, only C(exists), C(name) and C(team_name) are returned.
      type: bool
      sample: true
    name:
      description: Name of the quota.
      type: str
      sample: research
    compute_quota_id:
      description: ID of the quota.
      type: str
      sample: abc123def456
    compute_quota_arn:
      description: ARN of the quota.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:compute-quota/abc123def456
    version:
      description: Version of the quota, which each update increases.
      type: int
      sample: 1
    status:
      description: Status of the quota, as AWS returns it.
      type: str
      sample: Created
    failure_reason:
      description: Why the quota failed. Empty if it did not fail.
      type: str
      sample: ""
    team_name:
      description: Name of the team.
      type: str
      sample: research
    fair_share_weight:
      description: Weight of the team if idle compute is shared by weights.
      returned: if AWS returns it
      type: int
      sample: 50
    activation_state:
      description: Whether the quota is in effect, V(Enabled) or V(Disabled).
      returned: if AWS returns it
      type: str
      sample: Enabled
    compute_quota_resources:
      description: Guaranteed compute of the team, including the vCPUs and memory that AWS allocated in proportion.
      returned: if AWS returns it
      type: list
      elements: dict
      sample: [{"instance_type": "ml.p5.48xlarge", "count": 2}]
    resource_sharing_config:
      description: How the team lends and borrows compute.
      returned: if AWS returns it
      type: dict
      sample: {"strategy": "LendAndBorrow", "borrow_limit": 50}
    preempt_team_tasks:
      description: Whether tasks of the team with a higher priority preempt other tasks of the team, V(LowerPriority) or V(Never).
      returned: if AWS returns it
      type: str
      sample: LowerPriority
    description:
      description: Description of the quota.
      returned: if there is one
      type: str
      sample: Training
    tags:
      description: Tags of the quota.
      returned: with O(tags)
      type: dict
      sample: {"team": "research"}
changes:
  description: The changes. In check mode, the predicted changes.
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
