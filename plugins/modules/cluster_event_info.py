#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_event_info
version_added: 0.1.0
short_description: List the events of a SageMaker HyperPod cluster
description:
  - Returns the events that AWS recorded for a cluster, its groups and its nodes. The newest event comes first.
  - If an instance could not be provisioned or did not start, only the details of its event contain the reason.
  - Only clusters with continuous provisioning have events. For other clusters, AWS refuses the call.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  instance_group_name:
    description:
      - Return only events of this instance group.
    type: str
  node_id:
    description:
      - Return only events of the instance with this ID.
    type: str
  operation_id:
    description:
      - Return only events of the operation with this ID, as M(mlfleet.hyperpod.cluster_operation_info) returns it.
    type: str
  resource_type:
    description:
      - Return only events of this type of resource.
    type: str
    choices:
      - Cluster
      - InstanceGroup
      - Instance
  event_time_after:
    description:
      - Return only events after this time, such as V(2026-11-23T08:00:00Z).
    type: str
  event_time_before:
    description:
      - Return only events before this time.
    type: str
  details:
    description:
      - Whether to read the details of each event. This requires one call for each event.
    type: bool
    default: false
  limit:
    description:
      - Maximum number of events to return, V(1) to V(10000).
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
  - "IAM actions: C(sagemaker:ListClusterEvents), and for O(details) C(sagemaker:DescribeClusterEvent)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_operation_info
  - name: ListClusterEvents
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ListClusterEvents.html
"""

EXAMPLES = r"""
- name: Find out why a node was not created
  mlfleet.hyperpod.cluster_event_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    instance_group_name: worker-group-1
    details: true
    limit: 10
"""

RETURN = r"""
events:
  description: The events.
  returned: success
  type: list
  elements: dict
  contains:
    event_id:
      description: ID of the event.
      type: str
      sample: 01234567-89ab-cdef-0123-456789abcdef
    cluster_arn:
      description: ARN of the cluster.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    cluster_name:
      description: Name of the cluster.
      type: str
      sample: ml
    instance_group_name:
      description: Name of the instance group.
      returned: if AWS returns it
      type: str
      sample: worker-group-1
    instance_id:
      description: ID of the instance.
      returned: if AWS returns it
      type: str
      sample: i-0123456789abcdef0
    resource_type:
      description: V(Cluster), V(InstanceGroup) or V(Instance).
      type: str
      sample: Instance
    event_time:
      description: Time of the event.
      type: str
      sample: "2026-11-21T01:02:03.000Z"
    description:
      description: Description of the event.
      returned: if AWS returns it
      type: str
      sample: Instance provisioning failed
    event_level:
      description: V(Info), V(Warn) or V(Error).
      returned: if AWS returns it
      type: str
      sample: Error
    operation_id:
      description: ID of the operation.
      returned: if AWS returns it
      type: str
      sample: 01234567-89ab-cdef-0123-456789abcdef
    metadata:
      description: Details from AWS, by the type of resource, with AWS's names in snake case. Null if AWS lists no ID for the
        event.
      returned: with O(details)
      type: dict
      sample: {"instance": {"failure_message": "Insufficient capacity"}}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.listing import EVENTS


def read(module: t.Any) -> dict[str, t.Any]:
    return EVENTS.read(connect_hyperpod(module), module.params)


def main() -> None:
    read_aws(aws_module(argument_spec=EVENTS.argument_spec()), read)


if __name__ == "__main__":
    main()
