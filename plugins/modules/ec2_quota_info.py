#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ec2_quota_info
version_added: 0.1.0
short_description: Compare planned EC2 instances with the quotas of the account
description:
  - Returns the quotas that planned EC2 instances, VPCs, Elastic IP addresses, NAT gateways and EKS clusters use, with their values,
    the current usage in the Region and the planned additional usage. If a value is too low, the module also returns pending
    requests and the next step.
  - C(amazon.aws) and C(community.aws) have no module for Service Quotas. M(mlfleet.hyperpod.service_quota_info) compares the quotas
    of HyperPod, which are separate from the quotas of EC2.
  - The quotas of instances limit vCPUs for a group of instance families, such as all P instances, and separately for On-Demand and
    Spot Instances. The vCPUs of an instance type come from EC2.
  - The usage of an On-Demand quota includes pending, running and shutting-down instances, and the whole capacity of the account's
    active On-Demand capacity reservations, used or not. It excludes instances in Capacity Blocks, which have quotas of their own,
    and instances in reservations of other accounts, which count for those accounts. Instances on Dedicated Hosts are included.
  - The usage of a Spot quota includes pending, running and shutting-down Spot Instances, and open Spot Instance requests.
  - Quotas are found by their codes. A quota counts only if the name that AWS returns for the code covers the instance type. For
    example, if AWS lists C(All P5 Spot Instance Requests) but no Spot quota for P6, then the quota of a P6 instance is unknown. An
    unknown quota does not count as sufficient.
options:
  planned:
    description:
      - Planned instances, in addition to the existing ones.
      - Leave out instances that use an existing capacity reservation or Capacity Block. Reservations already count as used, and
        Capacity Blocks do not use these quotas.
    type: list
    elements: dict
    suboptions:
      instance_type:
        description:
          - Instance type of EC2, such as V(p5.48xlarge).
        type: str
        required: true
      count:
        description:
          - Number of instances, V(0) to V(10000).
        type: int
        required: true
      market:
        description:
          - Whether the instances are On-Demand or Spot Instances.
        type: str
        choices: [on_demand, spot]
        default: on_demand
  vpcs:
    description:
      - Number of planned VPCs, V(0) to V(1000), in addition to the existing ones.
    type: int
    default: 0
  elastic_ips:
    description:
      - Number of planned Elastic IP addresses, V(0) to V(1000), in addition to the existing ones. A public NAT gateway needs one.
    type: int
    default: 0
  eks_clusters:
    description:
      - Number of planned EKS clusters, V(0) to V(1000), in addition to the existing ones.
    type: int
    default: 0
  nat_gateways:
    description:
      - Planned NAT gateways, in addition to the existing ones.
    type: list
    elements: dict
    suboptions:
      zone:
        description:
          - Availability Zone of the NAT gateways, such as V(us-west-2a).
        type: str
        required: true
      count:
        description:
          - Number of NAT gateways, V(0) to V(1000).
        type: int
        default: 1
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(servicequotas:ListServiceQuotas), C(servicequotas:ListAWSDefaultServiceQuotas),
    C(servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota); with O(planned) C(ec2:DescribeInstances),
    C(ec2:DescribeInstanceTypes), C(ec2:DescribeCapacityReservations), and for Spot Instances
    C(ec2:DescribeSpotInstanceRequests); with O(vpcs) C(ec2:DescribeVpcs); with O(elastic_ips) C(ec2:DescribeAddresses); with
    O(nat_gateways) C(ec2:DescribeNatGateways), C(ec2:DescribeSubnets); with O(eks_clusters) C(eks:ListClusters)."
  - This module has not yet run against live AWS. The codes of the quotas are not verified there.
seealso:
  - module: mlfleet.hyperpod.service_quota
  - module: mlfleet.hyperpod.service_quota_info
  - name: Amazon EC2 instance type quotas
    description: The names and codes of the quotas.
    link: https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
"""

EXAMPLES = r"""
- name: Check the quotas for an EKS cluster with two GPU nodes and its network
  mlfleet.hyperpod.ec2_quota_info:
    region: us-west-2
    planned:
      - {instance_type: p5.48xlarge, count: 2}
      - {instance_type: m5.xlarge, count: 2}
    vpcs: 1
    elastic_ips: 1
    nat_gateways:
      - zone: us-west-2a
    eks_clusters: 1
  register: quotas
  failed_when: quotas.sufficient is not true

- name: Check the quota for Spot Instances
  mlfleet.hyperpod.ec2_quota_info:
    region: us-west-2
    planned:
      - {instance_type: g5.8xlarge, count: 4, market: spot}
"""

RETURN = r"""
sufficient:
  description: Whether all quotas are sufficient. False if at least one is too low. Otherwise null if at least one is unknown.
  returned: success
  type: bool
  sample: false
quotas:
  description: The quotas that the plan uses. Options with the value V(0) use no quota.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the quota in AWS. If the quota is unknown, a description of it.
      type: str
      sample: Running On-Demand P instances
    service_code:
      description: Code of the service. Empty if the quota is unknown.
      type: str
      sample: ec2
    code:
      description: Code of the quota. Empty if the quota is unknown.
      type: str
      sample: L-417A185B
    unit:
      description: Unit of the values, V(vCPU) or V(count).
      type: str
      sample: vCPU
    zone:
      description: Availability Zone of the NAT gateways. Empty for other quotas.
      type: str
      sample: ""
    instance_types:
      description: The planned instance types that use this quota. Empty for quotas that do not limit vCPUs.
      type: list
      elements: str
      sample: [p5.48xlarge]
    value:
      description: Value of the quota. Null if unknown.
      type: float
      sample: 192.0
    adjustable:
      description: Whether the quota can be increased. False if the quota is unknown.
      type: bool
      sample: true
    used:
      description: Current usage in the Region. Null if EC2 does not describe one of the instance types.
      type: int
      sample: 96
    planned:
      description: Additional usage by the plan. Null if EC2 does not describe one of the instance types.
      type: int
      sample: 384
    sufficient:
      description: Whether the value is sufficient. Null if the quota or the usage is unknown.
      type: bool
      sample: false
    pending:
      description: If the value is too low, the highest requested value on which AWS has not yet decided. Otherwise null.
      type: float
      sample: null
    next_step:
      description: What to do if the quota is too low or unknown. Otherwise empty.
      type: str
      sample: >-
        Request 480 in Service Quotas, for example with mlfleet.hyperpod.service_quota (service_code: ec2, name: Running On-Demand
        P instances), and run again after AWS has granted it.
"""

import functools
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.model import MARKETS, ON_DEMAND
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.options import planned
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws

INSTANCES = {
    "instance_type": {"type": "str", "required": True},
    "count": {"type": "int", "required": True},
    "market": {"type": "str", "choices": list(MARKETS), "default": ON_DEMAND},
}
NAT_GATEWAYS = {"zone": {"type": "str", "required": True}, "count": {"type": "int", "default": 1}}
SPEC = {
    "planned": {"type": "list", "elements": "dict", "options": INSTANCES},
    "vpcs": {"type": "int", "default": 0},
    "elastic_ips": {"type": "int", "default": 0},
    "eks_clusters": {"type": "int", "default": 0},
    "nat_gateways": {"type": "list", "elements": "dict", "options": NAT_GATEWAYS},
}


def compare(module: t.Any) -> dict[str, t.Any]:
    wanted = planned(module.params)
    observer = Observer(functools.partial(connect, module), wanted)
    return result(wanted, observer(), observer.pending)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), compare)


if __name__ == "__main__":
    main()
