#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_node_volume
version_added: 0.1.0
short_description: Attach an EBS volume to a node of a SageMaker HyperPod cluster
description:
  - Attaches a volume to a node of a cluster with EKS, or detaches it from the node. The module waits until EC2 has completed the
    operation.
  - Use this module for volumes without a Kubernetes claim. The EBS CSI driver attaches volumes that have a claim.
  - Modules of other collections can't attach volumes to nodes, because the nodes belong to AWS.
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
  volume_id:
    description:
      - ID of the volume.
    type: str
    required: true
  state:
    description:
      - Whether the volume is attached to the node.
    type: str
    choices: [present, absent]
    default: present
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(86400).
    type: int
    default: 600
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
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), C(ec2:DescribeVolumes), and to change something
    C(eks:DescribeCluster), C(sagemaker:AttachClusterNodeVolume), C(ec2:AttachVolume), C(sagemaker:DetachClusterNodeVolume) and
    C(ec2:DetachVolume)."
  - The documented policy C(clusters.json) allows volumes that have the tag C(mlfleet.hyperpod/cluster) with the ARN of a cluster
    of the account. The policy does not allow tagging, so tag the volume before you run the module.
  - This module has not yet run against live AWS.
seealso:
  - name: AttachClusterNodeVolume
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_AttachClusterNodeVolume.html
"""

EXAMPLES = r"""
- name: Attach a volume with a dataset to a node
  mlfleet.hyperpod.cluster_node_volume:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    node_id: i-0123456789abcdef0
    volume_id: vol-0123456789abcdef0
"""

RETURN = r"""
volume:
  description: The volume. In check mode, the predicted volume.
  returned: success
  type: dict
  contains:
    volume_id:
      description: ID of the volume.
      type: str
      sample: vol-0123456789abcdef0
    status:
      description: Status of the volume, as EC2 returns it.
      type: str
      sample: in-use
    attached:
      description: Whether the volume is attached to the node.
      type: bool
      sample: true
    device:
      description: Device name on the node. Empty if the volume is not attached.
      type: str
      sample: /dev/sdf
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: volume vol-0123456789abcdef0 on node i-0123456789abcdef0
      field: null
      before: null
      after: null
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "node_id": {"type": "str", "required": True},
    "volume_id": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    **wait_options(timeout=600),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    wanted = desired(module.params)
    api = connect_hyperpod(module)
    api.require("AttachClusterNodeVolume")
    observer = Observer(api, connect(module, "ec2"), wanted, waits=waits_of(module))
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
