#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_health_check
version_added: 0.1.0
short_description: Run deep health checks on nodes of a SageMaker HyperPod cluster
description:
  - Starts AWS's deep health checks on nodes. The module waits until the checks have ended and the groups have all their nodes
    again. Each run of the module starts the checks again.
  - The checks have ended when AWS lists their operation as done. If AWS lists no operation, the module fails after
    O(wait_timeout). It is then unknown whether the checks started, because they start some minutes after the call.
  - Nodes take no jobs during the checks. AWS reboots or replaces nodes that fail a check. A replaced node loses the data on its
    disks.
  - No other collection has this operation.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  instance_groups:
    description:
      - Groups whose nodes are checked, at most 99.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description:
          - Name of the group.
        type: str
        required: true
      checks:
        description:
          - Checks to run.
        type: list
        elements: str
        required: true
        choices:
          - InstanceStress
          - InstanceConnectivity
          - MultiNodeTrainingValidation
      node_ids:
        description:
          - IDs of nodes of the group, at most 500. The default is all nodes of the group.
        type: list
        elements: str
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(86400). The checks take half an hour to two hours.
    type: int
    default: 10800
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: none
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
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), C(sagemaker:StartClusterHealthCheck), and to detect
    the end of the checks C(sagemaker:ListClusterOperations) and C(sagemaker:DescribeClusterOperation)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_operation_info
  - name: StartClusterHealthCheck
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_StartClusterHealthCheck.html
"""

EXAMPLES = r"""
- name: Run a stress test on two nodes before they take jobs again
  mlfleet.hyperpod.cluster_health_check:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    instance_groups:
      - name: worker-group-1
        checks: [InstanceStress]
        node_ids: [i-0123456789abcdef0, i-0123456789abcdef1]
"""

RETURN = r"""
nodes:
  description: All nodes of the cluster after the checks. A node that is no longer listed was replaced.
  returned: success
  type: list
  elements: dict
  contains:
    instance_id:
      description: ID of the instance.
      type: str
      sample: i-0123456789abcdef0
    group:
      description: Name of the node's instance group.
      type: str
      sample: worker-group-1
    node_type:
      description: V(controller), V(login), V(compute), or null if the API does not return it.
      type: str
      sample: compute
    status:
      description: Status of the node, as AWS returns it.
      type: str
      sample: Running
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: nodes of group worker-group-1
      field: deep health check
      before: null
      after: [InstanceStress]
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.model import CHECKS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

GROUP = {
    "name": {"type": "str", "required": True},
    "checks": {"type": "list", "elements": "str", "required": True, "choices": list(CHECKS)},
    "node_ids": {"type": "list", "elements": "str"},
}
SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "instance_groups": {"type": "list", "elements": "dict", "required": True, "options": GROUP},
    **wait_options(timeout=10800),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    checks = options.checks(module.params)
    arn = ClusterArn.parse(module.params["cluster_arn"]).text
    api = connect_hyperpod(module)
    api.require("StartClusterHealthCheck")
    api.require("ListClusterOperations")
    observer = Observer(api, arn, waits=waits_of(module))
    return Resource(
        observe=observer,
        plan=lambda state: plan(checks, state),
        apply=Applier(api, checks, observer),
        result=result,
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
