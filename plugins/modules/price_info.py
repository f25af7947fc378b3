#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: price_info
version_added: 0.1.0
short_description: Get prices of SageMaker HyperPod nodes
description:
  - Returns the price of nodes for an hour in the Region, from the AWS Price List API. The prices of HyperPod nodes differ from
    EC2's prices.
  - If the API can't be read or has no price for an instance type, the module uses a small built-in table with a date. An instance
    type that is in neither has no price. This does not mean that its nodes are free.
  - Prices are list prices, without reservations, training plans, discounts, storage and traffic.
options:
  planned:
    description:
      - The nodes for which to return prices.
    type: list
    elements: dict
    required: true
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
"""

RETURN = r"""
prices:
  description: The nodes with their prices.
  returned: success
  type: list
  elements: dict
  contains:
    instance_type:
      description: Instance type.
      type: str
      sample: ml.p5.48xlarge
    count:
      description: Number of nodes.
      type: int
      sample: 8
    price_per_hour:
      description: Price of one node for an hour. Null if unknown.
      type: float
      sample: 66.048
    total_per_hour:
      description: Price of all nodes of this type for an hour. Null if unknown.
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
  description: Instance types whose price is unknown.
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
  description: Why the price list could not be read. Empty if it was read.
  returned: success
  type: list
  elements: str
  sample: []
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.prices import PRICE_LIST_REGIONS, planned, read

NODES = {
    "instance_type": {"type": "str", "required": True},
    "count": {"type": "int", "required": True},
}
SPEC = {"planned": {"type": "list", "elements": "dict", "required": True, "options": NODES}}


def price(module: t.Any) -> dict[str, t.Any]:
    nodes = planned(module.params)
    here = connect(module, "sagemaker").client.meta
    region = PRICE_LIST_REGIONS.get(here.partition)
    api = connect(module, "pricing", region=region, max_attempts=2) if region else None
    return read(api, nodes, region=here.region_name, partition=here.partition)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), price)


if __name__ == "__main__":
    main()
