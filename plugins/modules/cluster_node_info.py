#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_node_info
version_added: 0.1.0
short_description: List the nodes of a SageMaker HyperPod cluster
description:
  - Returns all nodes of a cluster, or of some of its instance groups.
  - The module fails if a part of the list can't be read. A node that is missing from the result therefore does not exist.
  - The list requires one call for every 100 nodes and contains no addresses. Each address requires one more call, so request
    addresses only if you need them.
options:
  cluster_arn:
    description:
      - ARN of the cluster. M(mlfleet.hyperpod.cluster_info) finds the ARN by the name of the cluster.
    type: str
    required: true
  groups:
    description:
      - Names of the instance groups whose nodes are returned. The default is all groups.
    type: list
    elements: str
  node_types:
    description:
      - Node types of instance groups, by the name of the group. Use this option for clusters for which the API does not return
        node types.
      - The values are V(controller), V(login) and V(compute). A type that the API returns takes precedence.
    type: dict
    default: {}
  addresses:
    description:
      - Nodes for which the module reads the address and the Availability Zone.
    type: str
    choices:
      none: No nodes.
      login: Nodes of the type V(login).
      all: All returned nodes.
    default: none
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), and C(sagemaker:DescribeClusterNode) for
    addresses.'
seealso:
  - module: mlfleet.hyperpod.cluster_info
  - name: ListClusterNodes
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ListClusterNodes.html
"""

EXAMPLES = r"""
- name: Read all nodes
  mlfleet.hyperpod.cluster_node_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2

- name: Read the login nodes with their addresses
  mlfleet.hyperpod.cluster_node_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    groups: [login-group]
    addresses: login
    region: us-west-2
  register: login
"""

RETURN = r"""
complete:
  description: Always true, because the module fails if a part of the list could not be read.
  returned: success
  type: bool
  sample: true
nodes:
  description: The nodes.
  returned: success
  type: list
  elements: dict
  contains:
    instance_id:
      description: ID of the instance. A replaced node has a new ID. A software update can keep the ID.
      type: str
      sample: i-0123456789abcdef0
    group:
      description: Name of the instance group.
      type: str
      sample: login-group
    node_type:
      description: V(controller), V(login), V(compute), or null if neither the API nor O(node_types) gives the type.
      type: str
      sample: login
    instance_type:
      description: Instance type.
      type: str
      sample: ml.m5.xlarge
    status:
      description: Status of the node, as AWS returns it.
      type: str
      sample: Running
    message:
      description: Message from AWS about the status, in one printable line. The message can be outdated.
      type: str
      sample: ""
    launch_time:
      description: Launch time of the instance.
      type: str
      sample: "2026-11-21T01:02:03.000Z"
    last_software_update_time:
      description: Time of the last software update of the node. Empty if AWS does not return it.
      type: str
      sample: ""
    triple:
      description:
        - Instance ID, launch time and time of the last software update. If the node gets a new disk, at least one of the values
          changes, provided that AWS updates them.
      type: list
      elements: str
      sample: [i-0123456789abcdef0, "2026-11-21T01:02:03.000Z", ""]
    ip:
      description: Private address in the customer's VPC. Null if the address was not read or the node no longer exists.
      type: str
      sample: 10.1.1.11
    az:
      description: Availability Zone. Null in the same cases as RV(nodes[].ip).
      type: str
      sample: us-west-2a
    image_id:
      description: ID of the image of the node. Empty if RV(nodes[].ip) is null, or if AWS does not return the ID.
      type: str
      sample: ami-0123456789abcdef0
    image_release_version:
      description: Release of the HyperPod image of the node. Empty if AWS does not return the release.
      type: str
      sample: 1.0.1
    ssm_target:
      description: Target of C(aws ssm start-session).
      type: str
      sample: sagemaker-cluster:abc123def456_login-group-i-0123456789abcdef0
    host_key_alias:
      description: Name of the node in C(known_hosts), which does not depend on the address of the node.
      type: str
      sample: i-0123456789abcdef0.abc123def456
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import (
    Node,
    check_node_types,
    require_group,
)

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "groups": {"type": "list", "elements": "str"},
    "node_types": {"type": "dict", "default": {}},
    "addresses": {"type": "str", "default": "none", "choices": ["none", "login", "all"]},
}
SETTINGS = {"argument_spec": SPEC}
WANTED: dict[str, t.Callable[[Node], bool]] = {
    "none": lambda node: False,
    "login": lambda node: node.node_type == "login",
    "all": lambda node: True,
}


def read(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    node_types = check_node_types(params["node_types"])
    api = connect_hyperpod(module)
    cluster = api.require_cluster(params["cluster_arn"], node_types=node_types)
    groups = params["groups"]
    for name in groups or ():
        require_group(cluster, name, option="groups")
    nodes = api.nodes(cluster, group=groups[0] if groups and len(groups) == 1 else None)
    chosen = [node for node in nodes if groups is None or node.group in groups]
    found = api.with_addresses(cluster, chosen, wanted=WANTED[params["addresses"]])
    for sentence in api.unknown_fields():
        module.warn(sentence)
    return {"complete": True, "nodes": [node.to_result(cluster) for node in found]}


def run(module: t.Any) -> t.NoReturn:
    read_aws(module, read)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
