#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_scheduler_config
version_added: 0.1.0
short_description: Manage the scheduler configuration of a SageMaker HyperPod cluster with EKS
description:
  - Creates, changes and removes the scheduler configuration of task governance, which defines how tasks are queued and how teams
    share idle compute. A cluster has at most one scheduler configuration. AWS also calls it a cluster policy.
  - Omitted settings are not changed. If the existing configuration has a setting that is required unless already set, you can
    therefore omit this setting.
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
      - Name of the scheduler configuration. AWS cannot rename it. If the cluster has a configuration with a different name, the
        module fails and does not remove that configuration.
    type: str
    required: true
  state:
    description:
      - Whether the cluster has the scheduler configuration.
    type: str
    choices: [present, absent]
    default: present
  priority_classes:
    description:
      - Priority classes of tasks.
      - Tasks use a class under the name C(NAME-priority), so the name of a class has at most 54 characters.
      - At most 10.
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - Name of the class.
          - Required unless already set.
        type: str
      weight:
        description:
          - Weight of the class. Tasks of the class with the highest weight start first.
          - Allowed range is 0 to 100. Required unless already set.
        type: int
  fair_share:
    description:
      - Whether teams borrow idle compute by their weights, instead of in the order of their requests.
    type: str
    choices:
      - Enabled
      - Disabled
  idle_resource_sharing:
    description:
      - Whether teams borrow compute that is not allocated by a quota.
    type: str
    choices:
      - Enabled
      - Disabled
  description:
    description:
      - Description, at most 1024 characters.
    type: str
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
      - Whether to delete the scheduler configuration and create it again if AWS can no longer change it. This is the case with the
        status V(CreateFailed), V(CreateRollbackFailed), V(UpdateRollbackFailed), V(DeleteFailed) or V(DeleteRollbackFailed). With
        V(false), a configuration with such a status is refused. After a failed update, the module sends the update again in any
        case.
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
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterSchedulerConfigs),
    C(sagemaker:DescribeClusterSchedulerConfig), to change something
    C(sagemaker:CreateClusterSchedulerConfig), C(sagemaker:UpdateClusterSchedulerConfig) and
    C(sagemaker:DeleteClusterSchedulerConfig), and for O(tags) C(sagemaker:ListTags), C(sagemaker:AddTags) and
    C(sagemaker:DeleteTags)."
  - The cluster needs the EKS add-on C(amazon-sagemaker-hyperpod-taskgovernance).
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_scheduler_config_info
  - module: mlfleet.hyperpod.compute_quota
  - name: CreateClusterSchedulerConfig
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateClusterSchedulerConfig.html
"""

EXAMPLES = r"""
- name: Queue training before experiments
  mlfleet.hyperpod.cluster_scheduler_config:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: fair
    fair_share: Enabled
    priority_classes:
      - {name: training, weight: 80}
      - {name: experiment, weight: 20}

- name: Remove the scheduler configuration
  mlfleet.hyperpod.cluster_scheduler_config:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: fair
    state: absent
"""

RETURN = r"""
cluster_scheduler_config:
  description: The scheduler configuration. In check mode, the predicted scheduler configuration.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the scheduler configuration exists. If not, only C(exists) and C(name) are returned.
      type: bool
      sample: true
    name:
      description: Name of the scheduler configuration.
      type: str
      sample: research
    cluster_scheduler_config_id:
      description: ID of the scheduler configuration.
      type: str
      sample: abc123def456
    cluster_scheduler_config_arn:
      description: ARN of the scheduler configuration.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:cluster-scheduler-config/abc123def456
    version:
      description: Version of the scheduler configuration, which each update increases.
      type: int
      sample: 1
    status:
      description: Status of the scheduler configuration, as AWS returns it.
      type: str
      sample: Created
    failure_reason:
      description: Why the scheduler configuration failed. Empty if it did not fail.
      type: str
      sample: ""
    priority_classes:
      description: Priority classes of tasks.
      returned: if there are any
      type: list
      elements: dict
      sample: [{"name": "training", "weight": 80}]
    fair_share:
      description: Whether teams borrow idle compute by their weights, V(Enabled) or V(Disabled).
      returned: if AWS returns it
      type: str
      sample: Enabled
    idle_resource_sharing:
      description: Whether teams borrow compute that is not allocated by a quota, V(Enabled) or V(Disabled).
      returned: if AWS returns it
      type: str
      sample: Enabled
    status_details:
      description: Status of each part of the configuration, with AWS's names.
      returned: if AWS returns it
      type: dict
      sample: {"FairShare": "Created", "PriorityClasses": "Created"}
    description:
      description: Description of the scheduler configuration.
      returned: if there is one
      type: str
      sample: Training
    tags:
      description: Tags of the scheduler configuration.
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
