#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_software
version_added: 0.1.0
short_description: Update the software of instance groups of a SageMaker HyperPod cluster
description:
  - Updates instance groups to the newest HyperPod image, to a different version of the HyperPod image, or to your own image. The
    module waits for the result of each group.
  - All nodes of the groups get blank root disks. On a cluster with Slurm, all nodes of a group go down at the same time. The
    group of the controller node loses the state of Slurm and a local accounting database.
  - AWS reads CloudWatch alarms with the execution role of the groups, which therefore needs C(cloudwatch:DescribeAlarms).
  - If AWS rolls an update back, the module fails. The message contains the reason from the events of the cluster.
  - No other collection has this operation.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  instance_groups:
    description:
      - Groups to update. Other groups are not updated.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description:
          - Name of the group.
        type: str
        required: true
      image_release_version:
        description:
          - Version of the HyperPod image, such as V(1.2.3). The default is the newest version.
        type: str
  image_id:
    description:
      - Your own image for all of the groups, or V(default) for the newest HyperPod image.
    type: str
  deployment_config:
    description:
      - How an update is rolled out to the nodes. EKS only.
    type: dict
    suboptions:
      rolling_update_policy:
        description:
          - Sizes of the batches.
        type: dict
        suboptions:
          maximum_batch_size:
            description:
              - Nodes that are updated at the same time.
              - Required.
            type: dict
            suboptions:
              type:
                description:
                  - Unit of C(value).
                  - Required.
                type: str
                choices:
                  - INSTANCE_COUNT
                  - CAPACITY_PERCENTAGE
              value:
                description:
                  - Number or percentage.
                  - At least 1. Required.
                type: int
          rollback_maximum_batch_size:
            description:
              - Nodes that are rolled back at the same time.
            type: dict
            suboptions:
              type:
                description:
                  - Unit of C(value).
                  - Required.
                type: str
                choices:
                  - INSTANCE_COUNT
                  - CAPACITY_PERCENTAGE
              value:
                description:
                  - Number or percentage.
                  - At least 1. Required.
                type: int
      wait_interval_in_seconds:
        description:
          - Seconds between two batches.
          - Allowed range is 0 to 3600.
        type: int
      auto_rollback_configuration:
        description:
          - CloudWatch alarms that trigger a rollback of the update.
          - At most 10.
        type: list
        elements: dict
        suboptions:
          alarm_name:
            description:
              - Name of the alarm.
              - Required.
            type: str
  force:
    description:
      - Whether to update groups that already have the requested software, for example to get blank disks. Each run updates them
        again.
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(86400). An update takes between half an hour and some hours, and AWS retries a failed update
        several times.
    type: int
    default: 14400
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: partial
    details:
      - The module is idempotent only without O(force). If AWS does not report that the software of a group is the newest, each
        run that requests the newest software updates the group.
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
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:UpdateClusterSoftware), with EKS C(sagemaker:ListClusterNodes), and
    for the reason of a failure C(sagemaker:ListClusterEvents) and C(sagemaker:DescribeClusterEvent). For your own AMI
    C(ec2:DescribeImages), C(ec2:DescribeSnapshots), C(ec2:ModifyImageAttribute) and C(ec2:ModifySnapshotAttribute), because
    HyperPod shares the AMI with the caller's permissions."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster
  - name: UpdateClusterSoftware
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateClusterSoftware.html
"""

EXAMPLES = r"""
- name: Update a group of compute nodes to the newest software
  mlfleet.hyperpod.cluster_software:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    instance_groups:
      - name: worker-group-1

- name: Update ten EKS nodes at the same time, and roll back on an alarm
  mlfleet.hyperpod.cluster_software:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    instance_groups:
      - name: worker-group-1
        image_release_version: 1.2.3
    deployment_config:
      rolling_update_policy:
        maximum_batch_size: {type: INSTANCE_COUNT, value: 10}
      auto_rollback_configuration:
        - alarm_name: training-throughput
"""

RETURN = r"""
groups:
  description: The groups of O(instance_groups). In check mode, the predicted groups.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the group.
      type: str
      sample: worker-group-1
    image_release_version:
      description: Version of the HyperPod image of the group. Empty if unknown.
      type: str
      sample: 1.2.3
    image_id:
      description: ID of the image of the group. Empty if unknown.
      type: str
      sample: ami-0123456789abcdef0
    image_version_status:
      description: V(UpToDate), V(UpdateAvailable), V(SecurityUpdateRequired), V(EndOfLife), or empty if unknown.
      type: str
      sample: UpToDate
    software_update_status:
      description: Status of the group's last update, as AWS returns it. Empty if unknown.
      type: str
      sample: Succeeded
    nodes_behind:
      description:
        - IDs of nodes whose software differs from that of the group. On a cluster with EKS, AWS skips nodes with Pods that a
          PodDisruptionBudget protects. The next run updates the group again. Empty on a cluster with Slurm, and with your own
          image.
      type: list
      elements: str
      sample: [i-0123456789abcdef0]
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: software of group worker-group-1
      field: image_release_version
      before: 1.2.2
      after: the newest
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import argument_spec
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.model import TABLE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

GROUP = {
    "name": {"type": "str", "required": True},
    "image_release_version": {"type": "str"},
}
SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "instance_groups": {"type": "list", "elements": "dict", "required": True, "options": GROUP},
    "image_id": {"type": "str"},
    **argument_spec(TABLE),
    "force": {"type": "bool", "default": False},
    **wait_options(timeout=14400),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    api = connect_hyperpod(module)
    options.require_known(api, desired)
    observer = Observer(api, desired, waits=waits_of(module))
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(api, desired, observer),
        result=lambda state: result(desired, state),
        lost_race=f"The software of cluster {desired.cluster_arn} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
