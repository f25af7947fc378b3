#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: karpenter_info
version_added: 0.1.0
short_description: Get the state of managed Karpenter and the reasons why Pods wait
description:
  - Returns the NodeClasses, NodePools and NodeClaims of HyperPod's managed Karpenter, and the cost of its nodes for an hour. For
    each waiting Pod, it returns the first reason why the Pod gets no node, and the next step. It does not return resources of a
    Karpenter that you run yourself.
  - The module can wait until NodePools and NodeClasses are Ready, or until NodePools have no NodeClaims.
  - Managed Karpenter runs in an account of AWS, so its log can't be read. This module reads Karpenter's conditions and events in
    Kubernetes, and the events of the cluster.
options:
  cluster_arn:
    description:
      - ARN of the HyperPod cluster.
    type: str
    required: true
  wait_for:
    description:
      - State for which the module waits.
      - V(none) does not wait.
      - V(ready) waits until O(node_pools) and O(node_classes) are Ready. After O(wait_timeout), the module fails with the message
        of each resource that is not Ready. If the autoscaler has failed, it fails immediately.
      - V(gone) waits until O(node_pools) have no NodeClaims. After O(wait_timeout), the module does not fail. It then returns the
        remaining NodeClaims and what blocks their removal.
    type: str
    choices: [none, ready, gone]
    default: none
  node_pools:
    description:
      - Names of the NodePools for O(wait_for). The default is all NodePools.
    type: list
    elements: str
  node_classes:
    description:
      - Names of the NodeClasses for O(wait_for=ready). The default is all NodeClasses.
    type: list
    elements: str
  wait:
    description:
      - Whether to wait for O(wait_for). With V(false), and in check mode, the module reads the state once and does not fail.
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
  - "IAM actions: C(sagemaker:DescribeCluster), C(eks:DescribeCluster), C(ec2:DescribeSubnets). If a Pod waits, optionally also
    C(sagemaker:ListClusterEvents), C(sagemaker:DescribeClusterEvent), C(sagemaker:ListClusters),
    C(servicequotas:ListServiceQuotas) and C(servicequotas:ListAWSDefaultServiceQuotas). Without these, the reasons do not take
    AWS's events and quotas into account. If there are nodes, optionally C(pricing:GetProducts). Without it, prices come from a
    built-in table."
  - "Kubernetes permissions of the caller: list nodes, Pods, events, PodDisruptionBudgets, C(nodepools.karpenter.sh),
    C(nodeclaims.karpenter.sh) and C(hyperpodnodeclasses.karpenter.sagemaker.amazonaws.com) of all namespaces. The EKS policy
    C(AmazonEKSAdminViewPolicy) allows this."
  - Without O(kubeconfig) and O(context), the module connects to the EKS cluster of the HyperPod cluster with the caller's AWS
    credentials. The caller then needs an access entry there.
  - Task governance prevents the creation of Pods without a queue. RV(waiting) does not contain such Pods. Only the events of
    their owners mention them.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.karpenter_requirement_info
  - module: mlfleet.hyperpod.cluster_autoscaling
  - name: Autoscaling on SageMaker HyperPod EKS
    description: The AWS guide about managed Karpenter.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling.html
"""

EXAMPLES = r"""
- name: List waiting Pods with the reasons
  mlfleet.hyperpod.karpenter_info:
    region: us-west-2
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
  register: karpenter

- name: Wait until the NodePool accepts Pods
  mlfleet.hyperpod.karpenter_info:
    region: us-west-2
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    wait_for: ready
    node_pools: [gpus]
    node_classes: [gpus]
    wait_timeout: 300

- name: Wait until the NodePool has no nodes
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
      description: V(Creating), V(InService), V(Deleting), V(Failed), or empty if there is no autoscaler.
      type: str
    failure_message:
      description: Why the autoscaler failed. Empty if it did not fail.
      type: str
    cluster_role:
      description: ARN of the autoscaler's role, or an empty string.
      type: str
  sample:
    mode: Enable
    status: InService
    failure_message: ""
    cluster_role: arn:aws:iam::111111111111:role/hyperpod-karpenter
defined:
  description: Whether the API server has HyperPod's custom resources for Karpenter, which the autoscaler installs.
  returned: success
  type: bool
  sample: true
ready:
  description: Whether all of O(node_pools) and O(node_classes) are Ready.
  returned: success
  type: bool
  sample: true
gone:
  description: Whether O(node_pools) have no NodeClaims.
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
      description: Name of the NodeClass.
      type: str
      sample: gpus
    groups:
      description: Instance groups of the NodeClass.
      type: list
      elements: str
      sample: [g5-a, g5-b]
    missing_groups:
      description: Instance groups of the NodeClass that the cluster does not have. If there are any, the NodeClass is not Ready.
      type: list
      elements: str
      sample: []
    ready:
      description: Whether the NodeClass is Ready.
      type: bool
      sample: true
    message:
      description: Message of the first condition that is not true. Empty if all are true.
      type: str
      sample: ""
    ours:
      description: Whether this collection created the NodeClass.
      type: bool
      sample: true
    leaving:
      description: Whether the NodeClass is being deleted and waits for the removal of its NodeClaims.
      type: bool
      sample: false
node_pools:
  description: All NodePools.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the NodePool.
      type: str
      sample: gpus
    node_class:
      description: Name of the NodePool's NodeClass.
      type: str
      sample: gpus
    ready:
      description: Whether the NodePool is Ready.
      type: bool
      sample: true
    message:
      description: Message of the first condition that is not true. Empty if all are true.
      type: str
      sample: ""
    ours:
      description: Whether this collection created the NodePool.
      type: bool
      sample: true
    leaving:
      description: Whether the NodePool is being deleted and waits for the removal of its NodeClaims.
      type: bool
      sample: false
    limits:
      description: Limits of the NodePool for all its nodes together, in Kubernetes units. Memory is in bytes.
      type: dict
      sample:
        nvidia.com/gpu: 8.0
    used:
      description: Resources that the nodes of the NodePool have, if known. C(nodes) is the number of nodes.
      type: dict
      sample:
        nodes: 1.0
        cpu: 32.0
        nvidia.com/gpu: 1.0
    weight:
      description: Weight of the NodePool. Karpenter tries NodePools with higher weights first.
      type: int
      sample: 0
    consolidation_policy:
      description: Which nodes Karpenter may remove, V(WhenEmpty) or V(WhenEmptyOrUnderutilized).
      type: str
      sample: WhenEmptyOrUnderutilized
    consolidate_after:
      description: Time before Karpenter may remove a node, or V(Never).
      type: str
      sample: 5m
    nodes:
      description: Number of the NodePool's NodeClaims.
      type: int
      sample: 1
node_claims:
  description: All NodeClaims. A NodeClaim is a node that Karpenter requested.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the NodeClaim.
      type: str
      sample: gpus-x7k2p
    node_pool:
      description: Name of the NodeClaim's NodePool.
      type: str
      sample: gpus
    instance_group:
      description: Instance group of the node. Empty while it is not known.
      type: str
      sample: g5-a
    instance_type:
      description: Instance type of the node. Empty while it is not known.
      type: str
      sample: ml.g5.8xlarge
    zone:
      description: Availability Zone of the node. Empty while it is not known.
      type: str
      sample: us-west-2a
    node:
      description: Name of the Node. Empty while the Node does not exist.
      type: str
      sample: hyperpod-i-0123456789abcdef0
    state:
      description: V(waiting) if AWS has not yet provided the node, V(launched), V(registered) in Kubernetes, V(ready), or
        V(leaving).
      type: str
      sample: ready
    created:
      description: Creation time.
      type: str
      sample: "2026-10-04T08:00:00Z"
    pods:
      description: Pods that use the node, each with its namespace. Completed Pods and Pods of DaemonSets are not included.
      type: list
      elements: str
      sample: [team-a/train-0]
    holding:
      description: What blocks the removal of the node, or would block it.
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
          description: Description of what blocks the removal.
          type: str
      sample:
        - kind: pod
          name: team-a/train-0
          text: Pod team-a/train-0 has karpenter.sh/do-not-disrupt
waiting:
  description: Pods that have no node, and Pods on Karpenter's nodes whose containers do not start.
  returned: success
  type: list
  elements: dict
  contains:
    pod:
      description: Name of the Pod, with its namespace.
      type: str
      sample: team-a/train-1
    since:
      description: Time at which the Pod began to wait.
      type: str
      sample: "2026-10-04T08:00:00Z"
    cause:
      description:
        - Why the Pod waits. For a Pod without a node, it is the first reason that applies among V(requirements), V(taint),
          V(limits), V(node-class), V(autoscaling), V(quota) and V(capacity).
        - V(on-its-way) if a NodeClaim exists for the Pod, and V(queued) if task governance has queued the Pod. For a Pod that has
          a node, V(image) or V(container). V(unknown) if no reason was found.
      type: str
      sample: limits
    text:
      description: The reason as a sentence with names.
      type: str
      sample: NodePool gpus is limited to 8 nvidia.com/gpu and uses 8 nvidia.com/gpu; another node would exceed the limit.
    next_step:
      description: What to do next.
      type: str
      sample: Raise spec.limits of the NodePool, or wait until Karpenter removes nodes.
price:
  description:
    - Cost of Karpenter's nodes, without reservations, discounts, storage and traffic. Spot Instances are counted at the on-demand
      price.
  returned: success
  type: dict
  contains:
    prices:
      description: Count and price of each instance type, as M(mlfleet.hyperpod.price_info) returns them.
      type: list
      elements: dict
    currency:
      description: Currency of the prices.
      type: str
    total_per_hour:
      description: Sum of all known prices for an hour. Null if no price is known. V(0) only if there are no nodes.
      type: float
    unknown:
      description: Instance types whose price is unknown.
      type: list
      elements: str
    told:
      description: The cost as a text.
      type: str
    notes:
      description: Errors of the Price List API. Empty if there were no errors.
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
