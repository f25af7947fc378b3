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
  - Calls one of AWS's four batch operations for the given nodes or groups, in as many calls as the limits of the operation
    require. After each call, the module waits until the nodes reach the requested state.
  - If AWS refuses some of the nodes in a call, the module waits for the other nodes and then fails. The message contains each
    refused node with AWS's error code and message. RV(changes) lists the other nodes.
  - To set the number of nodes of a group, use M(mlfleet.hyperpod.cluster). Do not add or delete nodes of a group that an
    autoscaler manages.
  - No other collection has these operations.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  state:
    description:
      - Desired state of the nodes. Only V(added) is allowed for the Slurm controller node.
    type: str
    required: true
    choices:
      added: >-
        Each group of O(instance_groups) gets the given number of additional nodes. Each run adds this number again. Requires
        continuous provisioning.
      absent: The nodes are deleted, and their groups become smaller.
      rebooted: The nodes are rebooted. They keep their IDs and disks. Each run reboots them again.
      replaced: >-
        The nodes are replaced by instances with new IDs and blank disks. All data on the disks, including secondary volumes, is
        lost. A node that is no longer in the cluster counts as already replaced and causes a warning. AWS refuses the operation
        if the software of the cluster has not been updated since AWS introduced the operation.
  node_ids:
    description:
      - IDs of the nodes. Required with every O(state) except V(added).
    type: list
    elements: str
  instance_groups:
    description:
      - Groups that get additional nodes. Required with O(state=added).
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
          - Number of additional nodes, V(1) to V(50).
        type: int
        required: true
      availability_zones:
        description:
          - Availability Zones of the new nodes. The default is all zones of the group.
        type: list
        elements: str
      instance_types:
        description:
          - Instance types of the new nodes, which must be instance types of the group. The default is all instance types of the
            group.
        type: list
        elements: str
  node_types:
    description:
      - Node types of instance groups, by the name of the group. Use this option for clusters for which the API does not return
        node types. A type that the API returns takes precedence.
      - The values are V(controller), V(login) and V(compute).
    type: dict
    default: {}
  route:
    description:
      - How the operation is requested from HyperPod. AWS recommends V(api).
    type: str
    choices:
      api: The module calls the API operation.
      orchestrator: >-
        The operation was already requested through a reason in Slurm or a label in Kubernetes, for example by
        M(mlfleet.hyperpod.slurm_nodes) with O(mlfleet.hyperpod.slurm_nodes#module:state=asked). The module calls no operation. It
        only waits until HyperPod has completed the operation. Allowed only with O(state=rebooted) and O(state=replaced).
    default: api
  wait_timeout:
    description:
      - Seconds to wait after each call, V(1) to V(86400). A replacement takes half an hour, and a reboot takes some minutes.
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
      - Only V(absent) and V(replaced) of O(state) are idempotent. The other states repeat the operation in each run.
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
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), and the action that O(state) requires, one of
    C(sagemaker:BatchAddClusterNodes), C(sagemaker:BatchDeleteClusterNodes), C(sagemaker:BatchRebootClusterNodes) and
    C(sagemaker:BatchReplaceClusterNodes). O(route=orchestrator) requires none of these four."
  - AWS returns no boot time. A node counts as rebooted if it stopped running and then runs again. A node that ran in six
    consecutive polls also counts as rebooted.
  - The module does not move nodes between instance groups. Use the API operation MoveClusterNodes (botocore 1.44.8 or newer). If
    nodes are being moved, the module waits for them before it replaces, reboots or deletes them.
  - This module has not yet run against live AWS.
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

- name: Add two nodes in the zone of a capacity reservation
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
  description: All nodes of the cluster. In check mode, the predicted nodes.
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
      description: V(controller), V(login), V(compute), or null if neither the API nor O(node_types) gives the type.
      type: str
      sample: compute
    status:
      description: Status of the node, as AWS returns it.
      type: str
      sample: Running
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success, and if AWS refused some nodes
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
    leaving = wanted.node_ids if wanted.calls else ()  # without a call, the step waits for removals itself
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
