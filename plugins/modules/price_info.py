#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: price_info
version_added: 0.1.0
short_description: Get hourly prices of nodes, EKS clusters and storage
description:
  - Returns the price of resources for an hour in the Region, from the AWS Price List API. The prices of HyperPod nodes differ from
    EC2's prices.
  - If the API can't be queried or has no price for a HyperPod node, the module uses a small built-in table with a date. A resource
    that is in neither has an unknown price. This does not mean that the resource is free.
  - Prices are list prices, without training plans, discounts and traffic. An instance of a reservation has the price of an instance
    even while the reservation is idle.
options:
  planned:
    description:
      - The resources for which to return prices. Each combination of O(planned[].kind), O(planned[].instance_type) and
        O(planned[].gib) can occur once.
    type: list
    elements: dict
    required: true
    suboptions:
      kind:
        description:
          - Kind of the resources. V(eks_extended_support) is the charge in addition to V(eks_cluster) for a version of Kubernetes
            in extended support.
          - V(public_ipv4_address) is a public IPv4 address in use, such as the Elastic IP address of a NAT gateway. An idle address
            has the same price.
          - The price of a V(lustre_file_system) may be unknown, because the names of its attributes in the price list are not
            verified. If several prices are listed, for example for different throughputs, the highest price is returned.
        type: str
        choices: [hyperpod_node, ec2_instance, eks_cluster, eks_extended_support, nat_gateway, public_ipv4_address, gp3_volume,
          lustre_file_system]
        default: hyperpod_node
      instance_type:
        description:
          - Instance type, such as V(ml.p5.48xlarge) for a V(hyperpod_node) and V(p5.48xlarge) for an V(ec2_instance). Required for
            these kinds only.
        type: str
      gib:
        description:
          - Size of each resource in GiB, V(1) to V(16777216). Required for a V(gp3_volume) and a V(lustre_file_system) only.
        type: int
      count:
        description:
          - Number of resources, V(1) to V(6758).
        type: int
        required: true
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(pricing:GetProducts)."
  - This module has not yet run against live AWS.
seealso:
  - name: GetProducts
    description: The API reference of the price list.
    link: https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
"""

EXAMPLES = r"""
- name: Get the price of eight nodes
  mlfleet.hyperpod.price_info:
    region: us-west-2
    planned:
      - instance_type: ml.p5.48xlarge
        count: 8

- name: Get the price of an EKS cluster with two nodes
  mlfleet.hyperpod.price_info:
    region: us-west-2
    planned:
      - {kind: eks_cluster, count: 1}
      - {kind: ec2_instance, instance_type: g5.8xlarge, count: 2}
      - {kind: gp3_volume, gib: 200, count: 2}
"""

RETURN = r"""
prices:
  description: The resources with their prices.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the resources.
      type: str
      sample: hyperpod_node
    instance_type:
      description: Instance type. Empty for a kind that is not an instance.
      type: str
      sample: ml.p5.48xlarge
    gib:
      description: Size of each resource in GiB. V(0) for a kind that is not storage.
      type: int
      sample: 0
    count:
      description: Number of resources.
      type: int
      sample: 8
    price_per_hour:
      description: Price of one resource for an hour. Null if unknown.
      type: float
      sample: 66.048
    total_per_hour:
      description: Price of all these resources for an hour. Null if unknown.
      type: float
      sample: 528.384
    source:
      description: Source of the price, V(price list), V(table of) with the month of the built-in table, or V(unknown).
      type: str
      sample: price list
currency:
  description: Currency of the prices.
  returned: success
  type: str
  sample: USD
total_per_hour:
  description: Sum of all known prices for an hour. Null if no price is known.
  returned: success
  type: float
  sample: 528.384
unknown:
  description: Resources whose price is unknown, by instance type, or by kind and size.
  returned: success
  type: list
  elements: str
  sample: []
told:
  description: The prices as a text.
  returned: success
  type: str
  sample: about 528.38 USD an hour (8 x ml.p5.48xlarge 528.38)
notes:
  description: Errors of the Price List API. Empty if there were no errors.
  returned: success
  type: list
  elements: str
  sample: []
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.price_list import NODE, RATES
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.prices import PRICE_LIST_REGIONS, planned, read

ITEM = {
    "kind": {"type": "str", "choices": list(RATES), "default": NODE},
    "instance_type": {"type": "str"},
    "gib": {"type": "int"},
    "count": {"type": "int", "required": True},
}
SPEC = {"planned": {"type": "list", "elements": "dict", "required": True, "options": ITEM}}


def price(module: t.Any) -> dict[str, t.Any]:
    items = planned(module.params)
    here = connect(module, "sagemaker").client.meta
    region = PRICE_LIST_REGIONS.get(here.partition)
    api = connect(module, "pricing", region=region, max_attempts=2) if region else None
    return read(api, items, region=here.region_name, partition=here.partition)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), price)


if __name__ == "__main__":
    main()
