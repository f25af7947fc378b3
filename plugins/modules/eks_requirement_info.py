#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_requirement_info
version_added: 0.1.0
short_description: Check the prerequisites of HyperPod on an EKS cluster
description:
  - Returns CreateCluster's prerequisites for an EKS cluster and for the subnets of the nodes, and whether they are met.
  - C(community.aws) has no module that reads an EKS cluster and its add-ons.
  - A prerequisite that can't be checked is returned as unknown.
  - The module reads from the API server of the EKS cluster whether HyperPod's Helm chart is installed. This requires the Python
    package C(kubernetes), network access to the endpoint of the API server, and an access entry for the caller.
options:
  eks_cluster_arn:
    description:
      - ARN of the EKS cluster.
    type: str
    required: true
  subnets:
    description:
      - IDs of the subnets of the nodes.
    type: list
    elements: str
    required: true
  planned:
    description:
      - Planned nodes. The module calculates the number of addresses that these nodes need.
    type: list
    elements: dict
    default: []
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
  - "IAM actions: C(eks:DescribeCluster), C(eks:DescribeAddon), C(ec2:DescribeSubnets), C(ec2:DescribeRouteTables),
    C(ec2:DescribeVpcEndpoints)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster
"""

EXAMPLES = r"""
- name: Check whether an EKS cluster can have eight nodes
  mlfleet.hyperpod.eks_requirement_info:
    region: us-west-2
    eks_cluster_arn: arn:aws:eks:us-west-2:111111111111:cluster/ml
    subnets: [subnet-0123456789abcdef0]
    planned:
      - instance_type: ml.p5.48xlarge
        count: 8
  register: eks
  failed_when: not eks.met
"""

RETURN = r"""
met:
  description: False if at least one prerequisite is not met, otherwise true. A prerequisite that can't be checked counts as met.
  returned: success
  type: bool
  sample: false
requirements:
  description: The prerequisites.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the prerequisite.
      type: str
      sample: authentication mode
    met:
      description: Whether the prerequisite is met. Null if unknown.
      type: bool
      sample: false
    found:
      description: Current value.
      type: str
      sample: CONFIG_MAP
    needed:
      description: Required value.
      type: str
      sample: API or API_AND_CONFIG_MAP
    note:
      description: Future change to a prerequisite that is met now, such as the end of EKS's support for a version. Otherwise
        empty.
      type: str
      sample: ""
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.prices import planned_nodes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import connect_eks

NODES = {
    "instance_type": {"type": "str", "required": True},
    "count": {"type": "int", "required": True},
}
SPEC = {
    "eks_cluster_arn": {"type": "str", "required": True},
    "subnets": {"type": "list", "elements": "str", "required": True},
    "planned": {"type": "list", "elements": "dict", "options": NODES, "default": []},
}


def requirements(module: t.Any) -> dict[str, t.Any]:
    name = options.cluster_name(module.params, region=module.region)
    subnets, nodes = options.subnets(module.params), planned_nodes(module.params)
    observed = observe(connect(module, "eks"), connect(module, "ec2"), lambda: connect_eks(module, name), name, subnets)
    found = judge(observed, subnets, nodes)
    return {"met": all(each.met is not False for each in found), "requirements": [each.to_result() for each in found]}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), requirements)


if __name__ == "__main__":
    main()
