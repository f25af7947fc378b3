#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: karpenter_info
version_added: 0.1.0
short_description: Tell what managed Karpenter has, what waits for it and why
description:
  - Returns NodeClasses, NodePools and NodeClaims of HyperPod's managed Karpenter, what its nodes cost an hour, and for each Pod
    that waits the first reason why it gets no node, with what to do. What belongs to a Karpenter that you run yourself does not
    count.
  - Waits until NodePools and NodeClasses are Ready, or until the NodeClaims of NodePools are gone.
  - Karpenter itself runs in AWS's own account, and has no log to read. What it says stands in Kubernetes and in the cluster's
    events, and this module reads both.
options:
  cluster_arn:
    description:
      - ARN of the HyperPod cluster.
    type: str
    required: true
  wait_for:
    description:
      - What to wait for.
      - V(none) waits for nothing.
      - V(ready) waits until O(node_pools) and O(node_classes) are Ready. After O(wait_timeout) it fails, and names each that is
        not and what it says; at once where the autoscaler has failed.
      - V(gone) waits until no NodeClaim of O(node_pools) is left. After O(wait_timeout) it does not fail, but returns what is
        left and what holds it.
    type: str
    choices: [none, ready, gone]
    default: none
  node_pools:
    description:
      - Names of NodePools that O(wait_for) is about; all by default.
    type: list
    elements: str
  node_classes:
    description:
      - Names of NodeClasses that O(wait_for=ready) is about; all by default.
    type: list
    elements: str
  wait:
    description:
      - Whether to wait for what O(wait_for) says. Without it, and in check mode, the module looks once and does not fail.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(86400).
    type: int
    default: 900
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.cluster
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:DescribeCluster), C(eks:DescribeCluster), C(ec2:DescribeSubnets). Where a Pod waits, and as far as
    they are allowed, C(sagemaker:ListClusterEvents), C(sagemaker:DescribeClusterEvent), C(sagemaker:ListClusters),
    C(servicequotas:ListServiceQuotas) and C(servicequotas:ListAWSDefaultServiceQuotas), without which neither an event nor a
    quota is told; where there are nodes C(pricing:GetProducts), without which prices come from a table."
  - In Kubernetes the caller needs to list nodes, pods, events, pod disruption budgets, C(nodepools.karpenter.sh),
    C(nodeclaims.karpenter.sh) and C(hyperpodnodeclasses.karpenter.sagemaker.amazonaws.com) of all namespaces, as EKS's policy
    C(AmazonEKSAdminViewPolicy) allows.
  - Without O(kubeconfig) and O(context), the API server of the cluster's own EKS cluster is asked, with the caller's AWS
    credentials as a password; they need an access entry there.
  - Pods that task governance denies, because they name no queue, do not exist; events of their owners tell of them.
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.karpenter_requirement_info
  - module: mlfleet.hyperpod.cluster_autoscaling
  - name: Autoscaling on SageMaker HyperPod EKS
    description: What AWS says of managed Karpenter.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling.html
"""

EXAMPLES = r"""
- name: What waits for a node, and why?
  mlfleet.hyperpod.karpenter_info:
    region: us-west-2
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
  register: karpenter

- name: Until the NodePool takes Pods
  mlfleet.hyperpod.karpenter_info:
    region: us-west-2
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    wait_for: ready
    node_pools: [gpus]
    node_classes: [gpus]
    wait_timeout: 300

- name: Until its nodes are gone
  mlfleet.hyperpod.karpenter_info:
    region: us-west-2
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    wait_for: gone
    node_pools: [gpus]
"""

RETURN = r"""
autoscaling:
  description: The autoscaler.
  returned: success
  type: dict
  contains:
    mode:
      description: V(Enable) or V(Disable).
      type: str
    status:
      description: V(Creating), V(InService), V(Deleting), V(Failed), or an empty string where there is none.
      type: str
    failure_message:
      description: Why it failed, or an empty string.
      type: str
    cluster_role:
      description: ARN of its role, or an empty string.
      type: str
  sample:
    mode: Enable
    status: InService
    failure_message: ""
    cluster_role: arn:aws:iam::111111111111:role/hyperpod-karpenter
defined:
  description: Whether the API server knows HyperPod's kinds of Karpenter, which come with the autoscaler.
  returned: success
  type: bool
  sample: true
ready:
  description: Whether O(node_pools) and O(node_classes) are Ready.
  returned: success
  type: bool
  sample: true
gone:
  description: Whether no NodeClaim of O(node_pools) is left.
  returned: success
  type: bool
  sample: false
node_classes:
  description: All NodeClasses.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name.
      type: str
      sample: gpus
    groups:
      description: Its instance groups.
      type: list
      elements: str
      sample: [g5-a, g5-b]
    missing_groups:
      description: Those of them that the cluster does not have; it is not Ready while there are any.
      type: list
      elements: str
      sample: []
    ready:
      description: Whether it is Ready.
      type: bool
      sample: true
    message:
      description: What the first of its conditions that does not hold says, or an empty string.
      type: str
      sample: ""
    ours:
      description: Whether this collection made it.
      type: bool
      sample: true
    leaving:
      description: Whether it is deleted and waits for its NodeClaims.
      type: bool
      sample: false
node_pools:
  description: All NodePools.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name.
      type: str
      sample: gpus
    node_class:
      description: Name of its NodeClass.
      type: str
      sample: gpus
    ready:
      description: Whether it is Ready.
      type: bool
      sample: true
    message:
      description: What the first of its conditions that does not hold says, or an empty string.
      type: str
      sample: ""
    ours:
      description: Whether this collection made it.
      type: bool
      sample: true
    leaving:
      description: Whether it is deleted and waits for its NodeClaims.
      type: bool
      sample: false
    limits:
      description: What its nodes may have together, in units of Kubernetes; memory in bytes.
      type: dict
      sample:
        nvidia.com/gpu: 8.0
    used:
      description: What they have, as far as it is known; C(nodes) counts them.
      type: dict
      sample:
        nodes: 1.0
        cpu: 32.0
        nvidia.com/gpu: 1.0
    weight:
      description: Its weight; the heavier is tried first.
      type: int
      sample: 0
    consolidation_policy:
      description: Which of its nodes may go, V(WhenEmpty) or V(WhenEmptyOrUnderutilized).
      type: str
      sample: WhenEmptyOrUnderutilized
    consolidate_after:
      description: How long a node is left alone before it may go, or V(Never).
      type: str
      sample: 5m
    nodes:
      description: How many NodeClaims it has.
      type: int
      sample: 1
node_claims:
  description: All NodeClaims. A NodeClaim is a node that Karpenter asked for.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name.
      type: str
      sample: gpus-x7k2p
    node_pool:
      description: Name of its NodePool.
      type: str
      sample: gpus
    instance_group:
      description: Its instance group, or an empty string until it is known.
      type: str
      sample: g5-a
    instance_type:
      description: Its instance type, or an empty string until it is known.
      type: str
      sample: ml.g5.8xlarge
    zone:
      description: Its Availability Zone, or an empty string until it is known.
      type: str
      sample: us-west-2a
    node:
      description: Name of its Node, or an empty string until there is one.
      type: str
      sample: hyperpod-i-0123456789abcdef0
    state:
      description: V(waiting) for AWS, V(launched), V(registered) in Kubernetes, V(ready), or V(leaving).
      type: str
      sample: ready
    created:
      description: When Karpenter made it.
      type: str
      sample: "2026-10-04T08:00:00Z"
    pods:
      description: Pods on its node that keep it in use, with their namespace.
      type: list
      elements: str
      sample: [team-a/train-0]
    holding:
      description: What would hold it, or holds it where it is leaving.
      type: list
      elements: dict
      contains:
        kind:
          description: V(pod), V(pod-disruption-budget) or V(node-pool-budget).
          type: str
        name:
          description: Name of the Pod or the PodDisruptionBudget with its namespace, or of the NodePool.
          type: str
        text:
          description: The same in words.
          type: str
      sample:
        - kind: pod
          name: team-a/train-0
          text: Pod team-a/train-0 has karpenter.sh/do-not-disrupt
waiting:
  description: Pods that have no node, and those on Karpenter's nodes whose containers do not start.
  returned: success
  type: list
  elements: dict
  contains:
    pod:
      description: Its name, with its namespace.
      type: str
      sample: team-a/train-1
    since:
      description: Since when it waits.
      type: str
      sample: "2026-10-04T08:00:00Z"
    cause:
      description:
        - The first that applies of V(requirements), V(taint), V(limits), V(node-class), V(autoscaling), V(quota), V(capacity).
        - V(on-its-way) where a NodeClaim is there for it, V(queued) where task governance holds it, V(image) or V(container) where
          it has a node, V(unknown) where nothing known keeps it from one.
      type: str
      sample: limits
    text:
      description: The same as a sentence, with names.
      type: str
      sample: NodePool gpus may have 8 nvidia.com/gpu and uses 8 nvidia.com/gpu; another node would be too many.
    next_step:
      description: What to do.
      type: str
      sample: Raise spec.limits of the NodePool, or wait until others give nodes back.
price:
  description: What Karpenter's nodes cost, without reservations, discounts, storage and traffic; Spot Instances as others.
  returned: success
  type: dict
  contains:
    prices:
      description: Count and price by instance type, as M(mlfleet.hyperpod.price_info) returns it.
      type: list
      elements: dict
    currency:
      description: What the prices are in.
      type: str
    total_per_hour:
      description: Of all whose price is known, or null if that is none; 0 only where there are no nodes.
      type: float
    unknown:
      description: Instance types whose price is unknown.
      type: list
      elements: str
    told:
      description: The same in a line for people.
      type: str
    notes:
      description: Why the price list could not be asked.
      type: list
      elements: str
  sample:
    prices:
      - instance_type: ml.g5.8xlarge
        count: 1
        price_per_hour: 3.06
        total_per_hour: 3.06
        source: price list
    currency: USD
    total_per_hour: 3.06
    unknown: []
    told: about 3.06 USD an hour (1 x ml.g5.8xlarge 3.06)
    notes: []
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.api import ServiceQuotas
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.prices import PRICE_LIST_REGIONS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.price import price
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import KUBECONFIG, connect_cluster

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "wait_for": {"type": "str", "choices": ["none", "ready", "gone"], "default": "none"},
    "node_pools": {"type": "list", "elements": "str"},
    "node_classes": {"type": "list", "elements": "str"},
    **wait_options(timeout=900),
    **KUBECONFIG,
}


def karpenter(module: t.Any) -> dict[str, t.Any]:
    desired, waits = options.desired(module.params), waits_of(module)
    state = Observer(
        connect_hyperpod(module),
        Network(connect(module, "ec2").client),
        lambda arn: connect_cluster(module, arn),
        lambda: ServiceQuotas(connect(module, "service-quotas").client),
        desired,
        waits=waits,
    )()
    here = state.outside.cluster
    prices = _price_list(module, here.partition) if state.inside.claims else None
    return {**result(desired, state), "price": price(prices, state.inside, region=here.region, partition=here.partition)}


def _price_list(module: t.Any, partition: str) -> Api | None:
    region = PRICE_LIST_REGIONS.get(partition)
    return connect(module, "pricing", region=region, max_attempts=2) if region else None


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), karpenter)


if __name__ == "__main__":
    main()
