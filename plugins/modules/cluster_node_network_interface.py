#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_node_network_interface
version_added: 0.1.0
short_description: Attach a network interface to a node of a SageMaker HyperPod cluster
description:
  - Attaches one of your network interfaces to a node. If the node is replaced, you can attach the interface to the new node. The
    interface keeps its address.
  - Modules of other collections can't attach interfaces to nodes, because the nodes belong to AWS.
  - SageMaker has no operation to detach an interface. Use EC2 to detach it, with RV(network_interface.attachment_id).
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  node_id:
    description:
      - ID of the node.
    type: str
    required: true
  network_interface_id:
    description:
      - ID of the network interface. The interface must be available or attached to this node.
    type: str
    required: true
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
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), C(ec2:DescribeNetworkInterfaces), and to change
    something C(sagemaker:AttachClusterNodeNetworkInterface) and C(ec2:AttachNetworkInterface)."
  - The documented policy C(clusters.json) allows interfaces that have the tag C(mlfleet.hyperpod/cluster) with the ARN of a
    cluster of the account. The policy does not allow tagging, so tag the interface before you run the module.
  - If EC2 does not return the instance to which an interface is attached, the module changes nothing and warns.
  - This module has not yet run against live AWS.
seealso:
  - name: AttachClusterNodeNetworkInterface
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_AttachClusterNodeNetworkInterface.html
"""

EXAMPLES = r"""
- name: Attach an interface with a fixed address
  mlfleet.hyperpod.cluster_node_network_interface:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    node_id: i-0123456789abcdef0
    network_interface_id: eni-0123456789abcdef0
"""

RETURN = r"""
network_interface:
  description: The network interface. In check mode, the predicted network interface.
  returned: success
  type: dict
  contains:
    network_interface_id:
      description: ID of the network interface.
      type: str
      sample: eni-0123456789abcdef0
    status:
      description: Status of the network interface, as EC2 returns it.
      type: str
      sample: in-use
    node_id:
      description: ID of the instance to which the interface is attached. Empty if EC2 does not return the ID.
      type: str
      sample: i-0123456789abcdef0
    attachment_id:
      description: ID of the attachment.
      type: str
      sample: eni-attach-0123456789abcdef0
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: network interface eni-0123456789abcdef0
      field: node
      before: null
      after: i-0123456789abcdef0
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "node_id": {"type": "str", "required": True},
    "network_interface_id": {"type": "str", "required": True},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    wanted = desired(module.params)
    api = connect_hyperpod(module)
    api.require("AttachClusterNodeNetworkInterface")
    observer = Observer(api, connect(module, "ec2"), wanted)
    return Resource(
        observe=observer,
        plan=lambda state: plan(wanted, state),
        apply=Applier(api, wanted, observer),
        result=lambda state: result(wanted, state),
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
