#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: service_quota_info
version_added: 0.1.0
short_description: Compare a plan for HyperPod with the quotas of the account
description:
  - Returns the quotas for HyperPod clusters, with their values, their current usage and the planned additional usage. If a value
    is too low, the module also returns pending requests.
  - The usage includes all HyperPod clusters of the account in the Region, and nodes that are being created.
  - Quotas are found by their names. A quota that AWS does not list is returned without a value. This does not mean that the quota
    is sufficient.
options:
  planned:
    description:
      - Planned nodes, in addition to the existing ones.
    type: list
    elements: dict
    suboptions:
      instance_type:
        description:
          - Instance type of the nodes, such as V(ml.p5.48xlarge).
        type: str
        required: true
      count:
        description:
          - Number of nodes.
        type: int
        required: true
      spot:
        description:
          - Whether the planned nodes are Spot Instances.
        type: bool
        default: false
  cluster_nodes:
    description:
      - Number of nodes of the largest planned cluster.
    type: int
    default: 0
  volume_size_in_gb:
    description:
      - Size of the largest planned EBS volume of a node, in GB.
    type: int
    default: 0
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:ListClusters), C(sagemaker:DescribeCluster), C(servicequotas:ListServiceQuotas),
    C(servicequotas:ListAWSDefaultServiceQuotas), C(servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.service_quota
"""

EXAMPLES = r"""
- name: Check the quotas for eight more nodes
  mlfleet.hyperpod.service_quota_info:
    region: us-west-2
    planned:
      - instance_type: ml.p5.48xlarge
        count: 8
    cluster_nodes: 11
  register: quotas
  failed_when: not quotas.enough
"""

RETURN = r"""
enough:
  description: False if at least one quota is known to be too low. A quota that AWS does not list counts as sufficient.
  returned: success
  type: bool
  sample: true
quotas:
  description: The quotas that the plan and the clusters use.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the quota in AWS.
      type: str
      sample: ml.p5.48xlarge for cluster usage
    quota_code:
      description: Code of the quota. Empty if AWS does not list the quota.
      type: str
      sample: L-8762A75F
    used:
      description: Current usage by the clusters of the account.
      type: int
      sample: 8
    planned:
      description: Additional usage by the plan.
      type: int
      sample: 8
    applied:
      description: Value of the quota. Null if AWS does not list the quota.
      type: float
      sample: 12.0
    pending:
      description: If the value is too low, the highest requested value on which AWS has not yet decided. Otherwise null.
      type: float
      sample: 16.0
    adjustable:
      description: Whether the quota can be increased.
      type: bool
      sample: true
    enough:
      description: Whether the value is sufficient. Null if AWS does not list the quota.
      type: bool
      sample: false
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.api import ServiceQuotas
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.quotas import Planned, read

NODES = {
    "instance_type": {"type": "str", "required": True},
    "count": {"type": "int", "required": True},
    "spot": {"type": "bool", "default": False},
}
SPEC = {
    "planned": {"type": "list", "elements": "dict", "options": NODES},
    "cluster_nodes": {"type": "int", "default": 0},
    "volume_size_in_gb": {"type": "int", "default": 0},
}


def compare(module: t.Any) -> dict[str, t.Any]:
    planned = Planned.from_options(module.params)
    return read(connect_hyperpod(module), ServiceQuotas(connect(module, "service-quotas").client), planned)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), compare)


if __name__ == "__main__":
    main()
