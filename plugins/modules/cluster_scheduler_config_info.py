#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_scheduler_config_info
version_added: 0.1.0
short_description: Read the scheduler configurations of a SageMaker HyperPod cluster
description:
  - Returns the scheduler configurations of task governance that a cluster with EKS has, by their names.
  - AWS goes on for a while to tell of those that were deleted.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  name:
    description:
      - Only those with this name, among them those that were deleted. Excludes O(name_contains).
    type: str
  name_contains:
    description:
      - Only those whose name contains this.
    type: str
  status:
    description:
      - Only those with this status.
    type: str
    choices:
      - CreateFailed
      - CreateRollbackFailed
      - Created
      - Creating
      - DeleteFailed
      - DeleteRollbackFailed
      - Deleted
      - Deleting
      - UpdateFailed
      - UpdateRollbackFailed
      - Updated
      - Updating
  created_after:
    description:
      - Only those that were made after this time, such as V(2026-11-23T08:00:00Z).
    type: str
  created_before:
    description:
      - Only those that were made before this time.
    type: str
  details:
    description:
      - Whether each is read in full, with its description and why it failed, which costs a call each.
    type: bool
    default: false
  version:
    description:
      - With O(name), this version of it, V(1) or more, which is read in full, as with O(details).
      - Nothing is returned where AWS tells of no such version. The default is the newest one.
    type: int
  limit:
    description:
      - How many are returned at most, V(1) to V(10000).
    type: int
    default: 100
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - >-
    IAM actions: C(sagemaker:ListClusterSchedulerConfigs), and for O(details) and O(version)
    C(sagemaker:DescribeClusterSchedulerConfig).
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_scheduler_config
  - name: ListClusterSchedulerConfigs
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ListClusterSchedulerConfigs.html
"""

EXAMPLES = r"""
- name: The scheduler configurations with what failed
  mlfleet.hyperpod.cluster_scheduler_config_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    details: true

- name: What it was before its first update
  mlfleet.hyperpod.cluster_scheduler_config_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: fair
    version: 1
"""

RETURN = r"""
cluster_scheduler_configs:
  description: The scheduler configurations.
  returned: success
  type: list
  elements: dict
  contains:
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
      description: With O(details) why it failed, or an empty string.
      type: str
      sample: ""
    priority_classes:
      description: Its priority classes.
      returned: with O(details)
      type: list
      elements: dict
      sample: [{"name": "training", "weight": 80}]
    fair_share:
      description: V(Enabled) or V(Disabled).
      returned: with O(details)
      type: str
      sample: Enabled
    idle_resource_sharing:
      description: V(Enabled) or V(Disabled).
      returned: with O(details)
      type: str
      sample: Enabled
    status_details:
      description: Status of each of its parts, under AWS's names.
      returned: with O(details)
      type: dict
      sample: {"FairShare": "Created", "PriorityClasses": "Created"}
    description:
      description: What it is for.
      returned: with O(details), where it has one
      type: str
      sample: Training
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import SCHEDULER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.listing import read, specification


def main() -> None:
    def found(module: t.Any) -> dict[str, t.Any]:
        return read(SCHEDULER, connect_hyperpod(module), module.params)

    read_aws(aws_module(argument_spec=specification()), found)


if __name__ == "__main__":
    main()
