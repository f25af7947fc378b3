#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_scheduler_config
version_added: 0.1.0
short_description: Keep the scheduler configuration of a SageMaker HyperPod cluster with EKS
description:
  - Makes, changes and removes the scheduler configuration of task governance, which says how tasks are queued and how teams share
    what is idle. A cluster has one at most. AWS calls it a cluster policy, too.
  - What is not named is kept. An update names the version that it was planned for, so that nobody's change is lost, and is planned
    anew where somebody else was faster.
  - No other collection has scheduler configurations.
options:
  cluster_arn:
    description:
      - ARN of the cluster, which has EKS.
    type: str
    required: true
  name:
    description:
      - Name of the scheduler configuration. AWS renames none, so one of another name is refused, and not removed.
    type: str
    required: true
  state:
    description:
      - Whether the cluster has it.
    type: str
    choices: [present, absent]
    default: present
  priority_classes:
    description:
      - Classes of tasks, by which they are queued.
      - Tasks name one as C(NAME-priority), so its name has at most 54 characters.
      - At most 10.
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - Its name.
          - Required with what it is part of.
        type: str
      weight:
        description:
          - Its weight; the highest goes first.
          - Allowed is 0 to 100. Required with what it is part of.
        type: int
  fair_share:
    description:
      - Whether teams borrow idle compute by their weights, and not in the order in which they come.
    type: str
    choices:
      - Enabled
      - Disabled
  idle_resource_sharing:
    description:
      - Whether teams borrow what no quota allocates.
    type: str
    choices:
      - Enabled
      - Disabled
  description:
    description:
      - What it is for.
    type: str
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
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterSchedulerConfigs),
    C(sagemaker:DescribeClusterSchedulerConfig), to change something
    C(sagemaker:CreateClusterSchedulerConfig), C(sagemaker:UpdateClusterSchedulerConfig) and
    C(sagemaker:DeleteClusterSchedulerConfig), and for O(tags) C(sagemaker:ListTags), C(sagemaker:AddTags) and
    C(sagemaker:DeleteTags)."
  - The cluster needs the EKS add-on C(amazon-sagemaker-hyperpod-taskgovernance).
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_scheduler_config_info
  - module: mlfleet.hyperpod.compute_quota
  - name: CreateClusterSchedulerConfig
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateClusterSchedulerConfig.html
"""

EXAMPLES = r"""
- name: Training goes before experiments
  mlfleet.hyperpod.cluster_scheduler_config:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: fair
    fair_share: Enabled
    priority_classes:
      - {name: training, weight: 80}
      - {name: experiment, weight: 20}

- name: No scheduler configuration
  mlfleet.hyperpod.cluster_scheduler_config:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: fair
    state: absent
"""

RETURN = r"""
cluster_scheduler_config:
  description: The scheduler configuration; in check mode as it would be.
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
    cluster_scheduler_config_id:
      description: Its ID.
      type: str
      sample: abc123def456
    cluster_scheduler_config_arn:
      description: Its ARN.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:cluster-scheduler-config/abc123def456
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
    priority_classes:
      description: Its priority classes.
      returned: where it has some
      type: list
      elements: dict
      sample: [{"name": "training", "weight": 80}]
    fair_share:
      description: V(Enabled) or V(Disabled).
      returned: where AWS says so
      type: str
      sample: Enabled
    idle_resource_sharing:
      description: V(Enabled) or V(Disabled).
      returned: where AWS says so
      type: str
      sample: Enabled
    status_details:
      description: Status of each of its parts, under AWS's names.
      returned: where AWS says so
      type: dict
      sample: {"FairShare": "Created", "PriorityClasses": "Created"}
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
      resource: scheduler configuration research
      field: description
      before: null
      after: Training
"""

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import SCHEDULER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.options import specification
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.resource import resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    **specification(SCHEDULER),
    **wait_options(timeout=1800),
    **LOCK_OPTION,
}


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), lambda module: resource(SCHEDULER, module))


if __name__ == "__main__":
    main()
