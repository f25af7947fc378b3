#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_nodes
version_added: 0.1.0
short_description: Add, delete, reboot and replace nodes of a SageMaker HyperPod cluster
description:
  - Calls one of AWS's four batch operations for named nodes or groups, in as many calls as its limits ask for, and waits
    after each call until its nodes are as they were asked for.
  - AWS answers such a call with success and a list of what it refused. Here that is a failure which names each refused
    node with AWS's code and message, after the others were waited for; RV(changes) lists those.
  - To give a group a certain number of nodes use M(mlfleet.hyperpod.cluster). Nodes of a group that an autoscaler
    scales are its own to add and to delete.
  - No other collection has these operations.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  state:
    description:
      - What the nodes shall be. The Slurm controller is refused by all but V(added).
    type: str
    required: true
    choices:
      added: The groups of O(instance_groups) have so many more nodes. Each run adds them again. Needs continuous provisioning.
      absent: The nodes are deleted, and their groups are smaller.
      rebooted: The nodes are rebooted; they keep their id and their disk. Each run reboots them again.
      replaced: >-
        Other machines with new ids and blank disks have taken the place of the nodes. What was on a disk, secondary volumes
        too, is lost. A node that is in the cluster no more was replaced before, which is told as a warning. AWS refuses it
        for a cluster whose software was never updated since the operation exists.
  node_ids:
    description:
      - Ids of the nodes. Required with every O(state) but V(added).
    type: list
    elements: str
  instance_groups:
    description:
      - Groups that get nodes. Required with O(state=added).
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - Name of the group.
        type: str
        required: true
      count:
        description:
          - How many nodes more, V(1) to V(50).
        type: int
        required: true
      availability_zones:
        description:
          - Availability zones to take them from. Any of the group's by default.
        type: list
        elements: str
      instance_types:
        description:
          - Instance types to take, of those that the group may have. Any of them by default.
        type: list
        elements: str
  node_types:
    description:
      - Node type of instance groups by name, for clusters whose API answer does not state it. What the API states wins.
      - Values are V(controller), V(login) and V(compute).
    type: dict
    default: {}
  route:
    description:
      - How HyperPod is asked. AWS recommends its API.
    type: str
    choices:
      api: By its operation, which this module calls.
      orchestrator: >-
        By words in Slurm or Kubernetes on which it acts, and which somebody has written already, as M(mlfleet.hyperpod.slurm_nodes)
        with its O(mlfleet.hyperpod.slurm_nodes#module:state=asked). Nothing is called; the module waits until HyperPod has done it.
        With O(state=rebooted) and O(state=replaced).
    default: api
  wait_timeout:
    description:
      - Seconds to wait after each call, V(1) to V(86400). A replacement takes half an hour, a reboot some minutes.
    type: int
    default: 3600
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: partial
    details:
      - With V(absent) and V(replaced) of O(state). The others do it again.
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
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), and of C(sagemaker:BatchAddClusterNodes),
    C(sagemaker:BatchDeleteClusterNodes), C(sagemaker:BatchRebootClusterNodes) and C(sagemaker:BatchReplaceClusterNodes)
    the one that O(state) asks for, none with O(route=orchestrator)."
  - AWS tells no time of a boot. A node counts as rebooted when it was seen not to run and runs again, or when it has run
    in six looks one after the other.
  - The module moves no nodes between instance groups. That call, MoveClusterNodes, needs botocore 1.44.8 or newer. Nodes that
    it is moving are waited for before they are replaced, rebooted or deleted.
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster
  - module: mlfleet.hyperpod.cluster_node_info
  - module: mlfleet.hyperpod.slurm_nodes
  - name: BatchReplaceClusterNodes
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_BatchReplaceClusterNodes.html
"""

EXAMPLES = r"""
- name: Replace a node whose accelerator has failed
  mlfleet.hyperpod.cluster_nodes:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: replaced
    node_ids: [i-0123456789abcdef0]

- name: Reboot two nodes
  mlfleet.hyperpod.cluster_nodes:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: rebooted
    node_ids: [i-0123456789abcdef0, i-0123456789abcdef1]

- name: Two more nodes in one zone, next to a reservation
  mlfleet.hyperpod.cluster_nodes:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: added
    instance_groups:
      - name: worker-group-1
        count: 2
        availability_zones: [us-west-2a]
"""

RETURN = r"""
nodes:
  description: All nodes of the cluster; in check mode as they would be.
  returned: success
  type: list
  elements: dict
  contains:
    instance_id:
      description: Id of the instance.
      type: str
      sample: i-0123456789abcdef0
    group:
      description: Name of its instance group.
      type: str
      sample: worker-group-1
    node_type:
      description: V(controller), V(login), V(compute), or null if neither the API nor O(node_types) says.
      type: str
      sample: compute
    status:
      description: Its status, in AWS's words.
      type: str
      sample: Running
changes:
  description: Every change that was made, or in check mode would be made.
  returned: success, and when AWS refused a part
  type: list
  elements: dict
  sample:
    - action: update
      resource: node i-0123456789abcdef0 (worker-group-1)
      field: instance
      before: i-0123456789abcdef0
      after: (known after apply)
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.model import API, ORCHESTRATOR, VERBS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

GROUP = {
    "name": {"type": "str", "required": True},
    "count": {"type": "int", "required": True},
    "availability_zones": {"type": "list", "elements": "str"},
    "instance_types": {"type": "list", "elements": "str"},
}
SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "state": {"type": "str", "required": True, "choices": list(VERBS)},
    "node_ids": {"type": "list", "elements": "str"},
    "instance_groups": {"type": "list", "elements": "dict", "options": GROUP},
    "node_types": {"type": "dict", "default": {}},
    "route": {"type": "str", "choices": [API, ORCHESTRATOR], "default": API},
    **wait_options(timeout=3600),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    wanted = desired(module.params)
    api = connect_hyperpod(module)
    api.require(wanted.verb.operation)
    leaving = wanted.node_ids if wanted.calls else ()  # those of a wait are to be seen while they leave
    observer = Observer(api, wanted.cluster_arn, waits=waits_of(module), node_ids=leaving, node_types=wanted.node_types)
    return Resource(
        observe=observer,
        plan=lambda state: plan(wanted, state),
        apply=Applier(api, wanted, observer),
        result=result,
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
