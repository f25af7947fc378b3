#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_operation_info
version_added: 0.1.0
short_description: List the operations of a SageMaker HyperPod cluster
description:
  - Returns the progress of scaling operations and deep health checks of a cluster. The newest operation comes first.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  status:
    description:
      - Return only operations with this status.
    type: str
    choices:
      - Done
      - InProgress
      - Superseded
  type:
    description:
      - Return only operations of this type.
    type: str
    choices:
      - Scaling
      - DeepHealthCheck
  creation_time_after:
    description:
      - Return only operations that started after this time, such as V(2026-11-23T08:00:00Z).
    type: str
  creation_time_before:
    description:
      - Return only operations that started before this time.
    type: str
  details:
    description:
      - Whether to read the details of each operation. This requires one call for each operation.
    type: bool
    default: false
  limit:
    description:
      - Maximum number of operations to return, V(1) to V(10000).
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
  - "IAM actions: C(sagemaker:ListClusterOperations), and for O(details) C(sagemaker:DescribeClusterOperation)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_event_info
  - name: ListClusterOperations
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ListClusterOperations.html
"""

EXAMPLES = r"""
- name: List operations in progress
  mlfleet.hyperpod.cluster_operation_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    status: InProgress
    details: true
"""

RETURN = r"""
operations:
  description: The operations.
  returned: success
  type: list
  elements: dict
  contains:
    operation_id:
      description: ID of the operation.
      type: str
      sample: 01234567-89ab-cdef-0123-456789abcdef
    cluster_arn:
      description: ARN of the cluster.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    type:
      description: V(Scaling) or V(DeepHealthCheck).
      type: str
      sample: Scaling
    status:
      description: V(InProgress), V(Superseded) or V(Done).
      type: str
      sample: InProgress
    creation_time:
      description: Start time.
      type: str
      sample: "2026-11-21T01:02:03.000Z"
    operation:
      description: Details from AWS, with AWS's names in snake case.
      returned: with O(details)
      type: dict
      sample: {"scaling_details": [{"instance_group_name": "worker-group-1", "status": "InProgress"}]}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.listing import OPERATIONS


def read(module: t.Any) -> dict[str, t.Any]:
    return OPERATIONS.read(connect_hyperpod(module), module.params)


def main() -> None:
    read_aws(aws_module(argument_spec=OPERATIONS.argument_spec()), read)


if __name__ == "__main__":
    main()
