#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: compute_quota_info
version_added: 0.1.0
short_description: List the compute quotas of a SageMaker HyperPod cluster
description:
  - Returns the compute quotas that task governance has for a cluster with EKS, sorted by name.
  - AWS continues to list deleted quotas for a while.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  name:
    description:
      - Return only quotas with this name, including deleted ones. Mutually exclusive with O(name_contains).
    type: str
  name_contains:
    description:
      - Return only quotas whose name contains this text.
    type: str
  status:
    description:
      - Return only quotas with this status.
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
      - Return only quotas that were created after this time, such as V(2026-11-23T08:00:00Z).
    type: str
  created_before:
    description:
      - Return only quotas that were created before this time.
    type: str
  details:
    description:
      - Whether to read the details of each quota, such as its description and the reason of a failure. This requires one call for
        each quota.
    type: bool
    default: false
  version:
    description:
      - Version of O(name) to read with its details, V(1) or more. The default is the newest version.
      - If AWS does not have this version, nothing is returned.
    type: int
  limit:
    description:
      - Maximum number of quotas to return, V(1) to V(10000).
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
  - "IAM actions: C(sagemaker:ListComputeQuotas), and for O(details) and O(version) C(sagemaker:DescribeComputeQuota)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.compute_quota
  - name: ListComputeQuotas
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ListComputeQuotas.html
"""

EXAMPLES = r"""
- name: List the compute quotas with the reasons of failures
  mlfleet.hyperpod.compute_quota_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    details: true

- name: Read the first version of a quota
  mlfleet.hyperpod.compute_quota_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: research
    version: 1
"""

RETURN = r"""
compute_quotas:
  description: The compute quotas.
  returned: success
  type: list
  elements: dict
  contains:
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
      description: With O(details), why the quota failed. Empty if it did not fail.
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
      returned: with O(details), if there is one
      type: str
      sample: Training
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.listing import read, specification


def main() -> None:
    def found(module: t.Any) -> dict[str, t.Any]:
        return read(QUOTA, connect_hyperpod(module), module.params)

    read_aws(aws_module(argument_spec=specification()), found)


if __name__ == "__main__":
    main()
