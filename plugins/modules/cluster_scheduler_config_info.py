#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_scheduler_config_info
version_added: 0.1.0
short_description: List the scheduler configurations of a SageMaker HyperPod cluster
description:
  - Returns the scheduler configurations that task governance has for a cluster with EKS, sorted by name.
  - AWS continues to list deleted scheduler configurations for a while.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  name:
    description:
      - Return only scheduler configurations with this name, including deleted ones. Mutually exclusive with O(name_contains).
    type: str
  name_contains:
    description:
      - Return only scheduler configurations whose name contains this text.
    type: str
  status:
    description:
      - Return only scheduler configurations with this status.
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
      - Return only scheduler configurations that were created after this time, such as V(2026-11-23T08:00:00Z).
    type: str
  created_before:
    description:
      - Return only scheduler configurations that were created before this time.
    type: str
  details:
    description:
      - Whether to read the details of each scheduler configuration, such as its description and the reason of a failure. This
        requires one call for each scheduler configuration.
    type: bool
    default: false
  version:
    description:
      - Version of O(name) to read with its details, V(1) or more. The default is the newest version.
      - If AWS does not have this version, nothing is returned.
    type: int
  limit:
    description:
      - Maximum number of scheduler configurations to return, V(1) to V(10000).
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
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_scheduler_config
  - name: ListClusterSchedulerConfigs
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ListClusterSchedulerConfigs.html
"""

EXAMPLES = r"""
- name: List the scheduler configurations with the reasons of failures
  mlfleet.hyperpod.cluster_scheduler_config_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    details: true

- name: Read the first version of a scheduler configuration
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
      description: With O(details), why the scheduler configuration failed. Empty if it did not fail.
      type: str
      sample: ""
    priority_classes:
      description: Priority classes of tasks.
      returned: with O(details)
      type: list
      elements: dict
      sample: [{"name": "training", "weight": 80}]
    fair_share:
      description: Whether teams borrow idle compute by their weights, V(Enabled) or V(Disabled).
      returned: with O(details)
      type: str
      sample: Enabled
    idle_resource_sharing:
      description: Whether teams borrow compute that is not allocated by a quota, V(Enabled) or V(Disabled).
      returned: with O(details)
      type: str
      sample: Enabled
    status_details:
      description: Status of each part of the configuration, with AWS's names.
      returned: with O(details)
      type: dict
      sample: {"FairShare": "Created", "PriorityClasses": "Created"}
    description:
      description: Description of the scheduler configuration.
      returned: with O(details), if there is one
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
