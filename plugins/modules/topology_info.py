#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topology_info
version_added: 0.1.0
short_description: Tell where the nodes of a Kubernetes cluster are in AWS's network, and which jobs are near or spread
description:
  - Reads the labels C(topology.k8s.aws/network-node-layer-1) and so on, which say below which network nodes a node is, from the top
    down. There are three layers, four of some types, and both in one cluster. Nodes that have the last one in common are nearest to
    each other.
  - All nodes are told, also those without labels, those that are unhealthy, and those of an UltraServer.
  - No other collection has this.
options:
  nodes_needed:
    description:
      - For a job on so many nodes, V(1) to V(10000), RV(near) says which free nodes are the nearest to each other, and RV(moves)
        what would have to end for as many below one last network node.
    type: int
  instance_type:
    description:
      - Only nodes of this type count for O(nodes_needed), such as V(ml.p5.48xlarge).
    type: str
    default: ''
  ask_ec2:
    description:
      - Whether EC2 is asked about nodes that have no such labels, as on clusters whose nodes are instances of one's own. It does
        not answer for nodes of HyperPod, so it is not asked about them.
    type: bool
    default: false
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster), with O(ask_ec2) C(ec2:DescribeInstanceTopology)."
  - In Kubernetes the caller must be allowed to list nodes, and the pods of all namespaces.
  - Not yet run against live AWS.
seealso:
  - name: How Amazon EC2 instance topology works
    description: What layers are, and which types have them.
    link: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/how-ec2-instance-topology-works.html
"""

EXAMPLES = r"""
- name: Where would a job on 16 nodes be nearest?
  mlfleet.hyperpod.topology_info:
    eks_cluster: training
    region: us-west-2
    nodes_needed: 16
    instance_type: ml.p5.48xlarge
  register: topology

- name: Draw it
  ansible.builtin.copy:
    content: "{{ topology.mermaid }}"
    dest: topology.mmd
    mode: "0644"
  delegate_to: localhost
"""

RETURN = r"""
nodes:
  description: All nodes, in the order of their names. Texts are printable, whoever wrote them.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Its name in Kubernetes.
      type: str
      sample: hyperpod-i-0123456789abcdef0
    layers:
      description: Network nodes above it, from the top down. Empty where nobody tells; it ends before a layer that is missing.
      type: list
      elements: str
      sample: [nn-11111example, nn-22222example, nn-33333example]
    instance_id:
      description: Instance ID of a node of HyperPod, else empty.
      type: str
      sample: i-0123456789abcdef0
    instance_type:
      description: Its type.
      type: str
      sample: ml.p5.48xlarge
    instance_group:
      description: Its group in HyperPod, or empty.
      type: str
      sample: gpus
    zone:
      description: Its Availability Zone.
      type: str
      sample: us-west-2a
    ultraserver:
      description: The UltraServer that it is a part of, or empty.
      type: str
      sample: ""
    state:
      description:
        - V(free), V(used) where pods have its accelerators, or V(unhealthy) where it gets no pods.
      type: str
      sample: used
    why:
      description: Why it is unhealthy, or empty.
      type: str
      sample: ""
    jobs:
      description: Jobs whose pods have its accelerators, by namespace and name.
      type: list
      elements: str
      sample: [hyperpod-ns-research/llama]
mermaid:
  description: The same as a flowchart of Mermaid, a box for each network node and each node.
  returned: success
  type: str
  sample: "flowchart TD\n    A[\"Cluster Topology\"]\n"
jobs:
  description: Jobs on more than one node.
  returned: success
  type: list
  elements: dict
  contains:
    job:
      description: Namespace and name.
      type: str
      sample: hyperpod-ns-research/llama
    nodes:
      description: Names of its nodes.
      type: list
      elements: str
      sample: [hyperpod-i-0123456789abcdef0, hyperpod-i-0123456789abcdef1]
    path:
      description: The network nodes that all of them have in common, from the top down.
      type: list
      elements: str
      sample: [nn-11111example]
    last:
      description: Below how many last network nodes they are. With V(1) they are as near as can be.
      type: int
      sample: 2
    untold:
      description: Those of its nodes of which nobody tells where they are.
      type: list
      elements: str
      sample: []
blocks:
  description: Free nodes by layer, and how many of them are below one network node, which is what a job can have.
  returned: success
  type: list
  elements: dict
  sample: [{layer: 1, free: 12, largest: 12}, {layer: 2, free: 12, largest: 8}, {layer: 3, free: 12, largest: 3}]
near:
  description: Free nodes for O(nodes_needed) that are the nearest to each other, or null where there are not so many.
  returned: with O(nodes_needed)
  type: dict
  contains:
    path:
      description: The network nodes that they have in common, from the top down.
      type: list
      elements: str
      sample: [nn-11111example, nn-22222example]
    spread:
      description: Layers between the last of these and the last one above the nodes, V(0) where they are as near as can be, null
        where nobody tells of some.
      type: int
      sample: 1
    nodes:
      description: Names of the nodes.
      type: list
      elements: str
      sample: [hyperpod-i-0123456789abcdef0]
    free:
      description: Free nodes in the same place, these included.
      type: int
      sample: 20
moves:
  description:
    - What would have to end or move for O(nodes_needed) nodes to be free below one last network node, or null where none has so
      many.
  returned: with O(nodes_needed)
  type: dict
  contains:
    path:
      description: The network nodes, from the top down.
      type: list
      elements: str
      sample: [nn-11111example, nn-22222example, nn-33333example]
    jobs:
      description: Jobs that are on them now.
      type: list
      elements: str
      sample: [hyperpod-ns-research/llama]
    nodes:
      description: Nodes that they have now.
      type: list
      elements: str
      sample: [hyperpod-i-0123456789abcdef0]
"""

import dataclasses
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_number
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import NODES, PODS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology import ec2
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.answers import blocks, moves, near, spreads
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.kubernetes import places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.mermaid import mermaid
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Domain, Place, tree

SPEC = {
    "nodes_needed": {"type": "int"},
    "instance_type": {"type": "str", "default": ""},
    "ask_ec2": {"type": "bool", "default": False},
    **CONNECTION,
}


def topology(module: t.Any) -> dict[str, t.Any]:
    needed, kind = module.params["nodes_needed"], module.params["instance_type"]
    if needed is not None:
        check_number("nodes_needed", needed, 1, 10_000)
    kubernetes = connect_kubernetes(module)
    nodes = kubernetes.items(NODES)
    found = sorted(places(nodes, kubernetes.items(PODS)), key=lambda place: place.name)
    if module.params["ask_ec2"]:
        found = _with_ec2(connect(module, "ec2"), nodes, found)
    root = tree(found)
    asked = {} if needed is None else _asked(root, needed, kind)
    return {
        "nodes": list(map(dataclasses.asdict, found)),
        "mermaid": mermaid(root),
        "jobs": list(map(dataclasses.asdict, spreads(found))),
        "blocks": list(map(dataclasses.asdict, blocks(root))),
        **asked,
    }


def _with_ec2(api: Api, nodes: t.Iterable[ec2.Object], found: list[Place]) -> list[Place]:
    unknown = {place.name for place in found if not place.layers}
    instances = {each["metadata"]["name"]: ec2.instance_of(each) for each in nodes if each["metadata"]["name"] in unknown}
    layers = ec2.layers(api, filter(None, instances.values()))

    def placed(place: Place) -> Place:
        iid = instances.get(place.name)
        return dataclasses.replace(place, instance_id=iid, layers=layers.get(iid, ())) if iid else place

    return list(map(placed, found))


def _asked(root: Domain, needed: int, kind: str) -> dict[str, t.Any]:
    found = {"near": near(root, needed, kind), "moves": moves(root, needed, kind)}
    return {name: None if each is None else dataclasses.asdict(each) for name, each in found.items()}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), topology)


if __name__ == "__main__":
    main()
