#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topology_info
version_added: 0.1.0
short_description: Get the network topology of Kubernetes nodes and the placement of jobs
description:
  - Reads the labels C(topology.k8s.aws/network-node-layer-1), C(topology.k8s.aws/network-node-layer-2) and so on. They contain
    the network nodes above a node, from the top down. There are three layers, or four for some instance types, and a cluster can
    have both. Nodes that have the same last network node are closest to each other.
  - The module returns all nodes, including nodes without labels, unhealthy nodes, and nodes of an UltraServer.
  - No other collection has such a module.
options:
  nodes_needed:
    description:
      - Number of nodes of a job, V(1) to V(10000). If set, RV(near) contains the free nodes that are closest to each other.
        RV(moves) contains the jobs that must end so that this number of nodes is free below one network node.
    type: int
  instance_type:
    description:
      - Instance type, such as V(ml.p5.48xlarge). If set, only nodes of this type are used for O(nodes_needed).
    type: str
    default: ''
  ask_ec2:
    description:
      - Whether to read the topology of nodes without labels from EC2. Use this for clusters that also have instances of your own
        account as nodes. For HyperPod nodes, the module sends no request, because EC2 returns no topology for them.
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
  - "Kubernetes permissions of the caller: list nodes, and the Pods of all namespaces."
  - This module has not yet run against live AWS.
seealso:
  - name: How Amazon EC2 instance topology works
    description: Explains the layers and the types that have them.
    link: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/how-ec2-instance-topology-works.html
"""

EXAMPLES = r"""
- name: Find the closest 16 nodes for a job
  mlfleet.hyperpod.topology_info:
    eks_cluster: training
    region: us-west-2
    nodes_needed: 16
    instance_type: ml.p5.48xlarge
  register: topology

- name: Write the topology as a diagram
  ansible.builtin.copy:
    content: "{{ topology.mermaid }}"
    dest: topology.mmd
    mode: "0644"
  delegate_to: localhost
"""

RETURN = r"""
nodes:
  description: All nodes, sorted by name. All texts are printable.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node in Kubernetes.
      type: str
      sample: hyperpod-i-0123456789abcdef0
    layers:
      description: Network nodes above the node, from the top down. Empty if unknown. If a layer is missing, the list ends above
        it.
      type: list
      elements: str
      sample: [nn-11111example, nn-22222example, nn-33333example]
    instance_id:
      description: Instance ID of a HyperPod node. Empty for other nodes.
      type: str
      sample: i-0123456789abcdef0
    instance_type:
      description: Instance type of the node.
      type: str
      sample: ml.p5.48xlarge
    instance_group:
      description: Instance group of the node in HyperPod, or an empty string.
      type: str
      sample: gpus
    zone:
      description: Availability Zone of the node.
      type: str
      sample: us-west-2a
    ultraserver:
      description: UltraServer of the node, or an empty string.
      type: str
      sample: ""
    state:
      description:
        - V(free), V(used) if Pods use accelerators of the node, or V(unhealthy) if the node gets no Pods.
      type: str
      sample: used
    why:
      description: Why the node is unhealthy. Otherwise empty.
      type: str
      sample: ""
    jobs:
      description: Jobs whose Pods use accelerators of the node, by namespace and name.
      type: list
      elements: str
      sample: [hyperpod-ns-research/llama]
mermaid:
  description: The topology as a Mermaid flowchart, with a box for each network node and each node.
  returned: success
  type: str
  sample: "flowchart TD\n    A[\"Cluster Topology\"]\n"
jobs:
  description: Jobs that run on more than one node.
  returned: success
  type: list
  elements: dict
  contains:
    job:
      description: Namespace and name of the job.
      type: str
      sample: hyperpod-ns-research/llama
    nodes:
      description: Names of the job's nodes.
      type: list
      elements: str
      sample: [hyperpod-i-0123456789abcdef0, hyperpod-i-0123456789abcdef1]
    path:
      description: Network nodes that all nodes of the job have in common, from the top down.
      type: list
      elements: str
      sample: [nn-11111example]
    last:
      description: Number of last network nodes above the job's nodes. With V(1), the nodes are as close as possible.
      type: int
      sample: 2
    untold:
      description: Nodes of the job whose topology is unknown.
      type: list
      elements: str
      sample: []
blocks:
  description: Free nodes in each layer. C(largest) is the largest number of free nodes below one network node, so one job can use
    that many nodes.
  returned: success
  type: list
  elements: dict
  sample: [{layer: 1, free: 12, largest: 12}, {layer: 2, free: 12, largest: 8}, {layer: 3, free: 12, largest: 3}]
near:
  description: The free nodes for O(nodes_needed) that are closest to each other. Null if there are not enough free nodes.
  returned: with O(nodes_needed)
  type: dict
  contains:
    path:
      description: Network nodes that these nodes have in common, from the top down.
      type: list
      elements: str
      sample: [nn-11111example, nn-22222example]
    spread:
      description:
        - Number of layers between the last common network node and the last network nodes above these nodes. V(0) if the nodes
          are as close as possible. Null if the topology of a node is unknown.
      type: int
      sample: 1
    nodes:
      description: Names of the nodes.
      type: list
      elements: str
      sample: [hyperpod-i-0123456789abcdef0]
    free:
      description: Number of free nodes below the last of these common network nodes, including RV(near.nodes).
      type: int
      sample: 20
moves:
  description:
    - Jobs that must end or move so that O(nodes_needed) nodes below one network node are free. If possible, this is a last
      network node, otherwise a network node of the lowest possible layer. Null if no network node has enough healthy nodes.
  returned: with O(nodes_needed)
  type: dict
  contains:
    path:
      description: Network nodes from the top down to this network node.
      type: list
      elements: str
      sample: [nn-11111example, nn-22222example, nn-33333example]
    jobs:
      description: Jobs that must end or move. Empty if enough nodes are free.
      type: list
      elements: str
      sample: [hyperpod-ns-research/llama]
    nodes:
      description: Used nodes that become free when these jobs end or move.
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
    placements = {} if needed is None else _placements(root, needed, kind)
    return {
        "nodes": list(map(dataclasses.asdict, found)),
        "mermaid": mermaid(root),
        "jobs": list(map(dataclasses.asdict, spreads(found))),
        "blocks": list(map(dataclasses.asdict, blocks(root))),
        **placements,
    }


def _with_ec2(api: Api, nodes: t.Iterable[ec2.Object], found: list[Place]) -> list[Place]:
    unknown = {place.name for place in found if not place.layers}
    instances = {each["metadata"]["name"]: ec2.instance_of(each) for each in nodes if each["metadata"]["name"] in unknown}
    layers = ec2.layers(api, filter(None, instances.values()))

    def placed(place: Place) -> Place:
        iid = instances.get(place.name)
        return dataclasses.replace(place, instance_id=iid, layers=layers.get(iid, ())) if iid else place

    return list(map(placed, found))


def _placements(root: Domain, needed: int, kind: str) -> dict[str, t.Any]:
    found = {"near": near(root, needed, kind), "moves": moves(root, needed, kind)}
    return {name: None if each is None else dataclasses.asdict(each) for name, each in found.items()}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), topology)


if __name__ == "__main__":
    main()
