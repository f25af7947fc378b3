#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_requirement_info
version_added: 0.1.0
short_description: Tell whether HyperPod can be put on an EKS cluster
description:
  - Returns what HyperPod asks of an EKS cluster and of the subnets of its nodes before CreateCluster, and what is there.
  - C(community.aws) has no module that reads an EKS cluster and its add-ons.
  - What nobody tells is returned as unknown. Whether HyperPod's Helm chart is installed is asked of the EKS cluster's API
    server, which needs the Python package C(kubernetes), a way to the endpoint, and an access entry for the caller.
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
      - The nodes, for the addresses that they take.
    type: list
    elements: dict
    default: []
    suboptions:
      instance_type:
        description:
          - Their instance type, such as V(ml.p5.48xlarge).
        type: str
        required: true
      count:
        description:
          - How many.
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
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster
"""

EXAMPLES = r"""
- name: Can eight nodes be put on it?
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
  description: Whether nothing is known to be missing.
  returned: success
  type: bool
  sample: false
requirements:
  description: What is asked, and what is there.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: What it is about.
      type: str
      sample: authentication mode
    met:
      description: Whether it is as asked, or null where nobody tells.
      type: bool
      sample: false
    found:
      description: What is there.
      type: str
      sample: CONFIG_MAP
    needed:
      description: What is asked.
      type: str
      sample: API or API_AND_CONFIG_MAP
    note:
      description: What will change though it is as asked now, such as the end of EKS's support of a version, or an empty text.
      type: str
      sample: ""
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.prices import planned
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
    subnets, nodes = options.subnets(module.params), planned(module.params)
    observed = observe(connect(module, "eks"), connect(module, "ec2"), lambda: connect_eks(module, name), name, subnets)
    found = judge(observed, subnets, nodes)
    return {"met": all(each.met is not False for each in found), "requirements": [each.to_result() for each in found]}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), requirements)


if __name__ == "__main__":
    main()
