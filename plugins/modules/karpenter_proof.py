#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: karpenter_proof
version_added: 0.1.0
short_description: Prove that managed Karpenter scales from zero and back to zero
description:
  - Creates a Pod that does nothing and that can run only on a node of one C(NodePool) and one instance type. The module waits
    until HyperPod's managed Karpenter has added that node and the Pod runs. Then it deletes the Pod, and waits until the node is
    removed from Kubernetes and from HyperPod.
  - The node costs money while it exists. The module prints the price before it requests the node, and returns it in RV(price).
    Check mode only returns the price.
  - The module always deletes the Pod, even if the proof fails or the module receives a termination signal. If the module is
    killed (C(SIGKILL)), the Pod ends after it has run for O(up_timeout) seconds, and the next proof of the C(NodePool) removes it
    first.
  - If the proof fails, the message contains the reason why the node was not added or removed, the next step, and the steps that
    were completed.
  - No other collection supports HyperPod's Karpenter.
options:
  cluster_arn:
    description:
      - ARN of the HyperPod cluster.
    type: str
    required: true
  node_pool:
    description:
      - Name of the C(NodePool).
    type: str
    required: true
  instance_type:
    description:
      - Instance type of the node, such as V(ml.g5.8xlarge).
      - The default is the cheapest instance type that the C(NodePool) can have. Types without a known price come last.
    type: str
  namespace:
    description:
      - Namespace of the Pod. The namespace of a team of task governance is refused, because AWS refuses Pods without a queue
        there. To detect other obstacles, the module first submits the Pod as a dry run.
    type: str
    default: default
  image:
    description:
      - Container image of the Pod. It must run as a user other than root, and must keep running.
      - Nodes without internet access need an image in a registry that they can reach, such as a copy in Amazon ECR.
    type: str
    default: registry.k8s.io/pause:3.10
  up_timeout:
    description:
      - Seconds from the creation of the Pod until it must run, V(1) to V(86400). Include the time that AWS needs to provide
        capacity.
    type: int
    default: 1200
  down_timeout:
    description:
      - Seconds from the deletion of the Pod until its node must be removed, V(1) to V(86400). The module adds the time after
        which the C(NodePool) removes an empty node (C(consolidateAfter)).
    type: int
    default: 900
  poll_interval:
    description:
      - Seconds between two polls, V(1) to V(300). The first intervals are shorter.
    type: int
    default: 10
  _progress_file:
    description:
      - Internal, set by the action plugin. File that receives a line for each resource for which the module waits.
    type: path
attributes:
  check_mode:
    support: full
    details:
      - In check mode, RV(proven) is false, and RV(timeline) is empty.
  diff_mode:
    support: full
  idempotent:
    support: none
    details:
      - Each run repeats the proof.
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.lock_option
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), C(eks:DescribeCluster), C(ec2:DescribeSubnets) and
    C(pricing:GetProducts). To find out why no node was added, also C(sagemaker:ListClusters), C(sagemaker:ListClusterEvents),
    C(sagemaker:DescribeClusterEvent), C(servicequotas:ListServiceQuotas) and C(servicequotas:ListAWSDefaultServiceQuotas)."
  - "Kubernetes permissions of the caller: read nodes, Pods, namespaces, PodDisruptionBudgets and Karpenter's custom resources;
    create and delete Pods in O(namespace). The EKS policy C(AmazonEKSClusterAdminPolicy) allows this."
  - The module refuses a C(NodePool) that is not Ready, or that has nodes of O(instance_type) with other Pods. It also refuses a
    C(NodePool) that never removes an empty node, because C(consolidateAfter) is V(Never) or a disruption budget allows no nodes.
    If there are empty nodes of O(instance_type), the module first waits until they are removed.
  - Two concurrent proofs of the same C(NodePool) interfere with each other. O(lock=true) prevents this.
  - The times in RV(timeline) are the times at which the module observed a step. The step can have happened up to O(poll_interval)
    seconds before.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_autoscaling
  - module: mlfleet.hyperpod.karpenter_requirement_info
  - name: Autoscaling on SageMaker HyperPod EKS
    description: The AWS guide.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling.html
"""

EXAMPLES = r"""
- name: Get the price of the node
  mlfleet.hyperpod.karpenter_proof:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    node_pool: gpus
  check_mode: true
  register: planned

- name: Prove that Karpenter adds a node and removes it
  mlfleet.hyperpod.karpenter_proof:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    node_pool: gpus
    image: 111111111111.dkr.ecr.us-west-2.amazonaws.com/pause:3.10
"""

RETURN = r"""
proven:
  description: Whether the node was added and removed. False in check mode.
  returned: success
  type: bool
  sample: true
node_pool:
  description: Name of the C(NodePool).
  returned: success
  type: str
  sample: gpus
pod:
  description: Namespace and name of the Pod.
  returned: success
  type: str
  sample: default/hyperpod-proof-gpus
instance_type:
  description: Instance type of the node.
  returned: success
  type: str
  sample: ml.g5.8xlarge
instance_group:
  description: Instance group of the node. V((known after apply\)) in check mode if several groups have the instance type.
  returned: success
  type: str
  sample: g5-a
price:
  description: Price of the node.
  returned: success
  type: dict
  contains:
    per_hour:
      description: Price of the node for an hour. Null if unknown.
      type: float
      sample: 3.06
    currency:
      description: Currency of the price.
      type: str
      sample: USD
    source:
      description: Source of the price, V(price list), V(table of) with the month of the built-in table, or V(unknown).
      type: str
      sample: price list
    told:
      description: The price as a text.
      type: str
      sample: about 3.06 USD an hour
candidates:
  description: Instance types that the C(NodePool) can have. The preferred type comes first.
  returned: success
  type: list
  elements: dict
  contains:
    instance_type:
      description: Instance type.
      type: str
      sample: ml.g5.8xlarge
    instance_groups:
      description: Instance groups of the C(HyperpodNodeClass) that have this type.
      type: list
      elements: str
      sample: [g5-a]
    price_per_hour:
      description: Price of one node for an hour. Null if unknown.
      type: float
      sample: 3.06
timeline:
  description: Observed steps with their times.
  returned: success, and if it failed after the start
  type: list
  elements: dict
  contains:
    step:
      description:
        - V(pod created), V(pod created again), V(NodeClaim made), V(NodeClaim launched), V(node registered), V(node ready), V(pod
          running), V(pod deleted), V(node being ended), V(node gone from HyperPod), V(node gone from Kubernetes) or V(NodeClaim
          gone).
        - The first step is V(pod of an earlier run deleted) if such a Pod existed.
      type: str
      sample: node ready
    name:
      description: Name of the object of the step, such as the Pod, the C(NodeClaim) or the node.
      type: str
      sample: hyperpod-i-0123456789abcdef0
    at:
      description: Time at which the module observed the step.
      type: str
      sample: "2026-11-24T10:05:31Z"
    seconds:
      description: Seconds since the start of the proof.
      type: float
      sample: 312.4
seconds_up:
  description: Seconds from the creation of the Pod until the Pod ran. Null in check mode.
  returned: success
  type: float
  sample: 320.1
seconds_down:
  description: Seconds from the deletion of the Pod until the node was removed. Null in check mode.
  returned: success
  type: float
  sample: 190.7
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success, and if it failed after the start
  type: list
  elements: dict
  sample:
    - action: create
      resource: pod default/hyperpod-proof-gpus
    - action: delete
      resource: pod default/hyperpod-proof-gpus
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.api import ServiceQuotas
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.prices import PRICE_LIST_REGIONS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.reasons import Reasons
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import KUBECONFIG, connect_cluster
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "node_pool": {"type": "str", "required": True},
    "instance_type": {"type": "str"},
    "namespace": {"type": "str", "default": "default"},
    "image": {"type": "str", "default": "registry.k8s.io/pause:3.10"},
    "up_timeout": {"type": "int", "default": 1200},
    "down_timeout": {"type": "int", "default": 900},
    "poll_interval": {"type": "int", "default": 10},
    "_progress_file": {"type": "path"},
    **KUBECONFIG,
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    api = connect_hyperpod(module)
    api.require_answer("DescribeCluster", "AutoScaling", "Status")
    network, quotas = Network(connect(module, "ec2").client), ServiceQuotas(connect(module, "service-quotas").client)
    observer = Observer(api, network, price_list(module), lambda arn: connect_cluster(module, arn), desired)
    reasons = Reasons(observer, quotas)
    applier = Applier(api, observer, desired, reasons, progress=options.progress(module.params))
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=applier,
        result=lambda state: result(desired, state),
        failed=lambda error: {"timeline": applier.timeline.to_result()},
    )


def price_list(module: t.Any) -> Api | None:
    """The price list. None in a partition that has no price list."""
    region = PRICE_LIST_REGIONS.get(connect(module, "sagemaker").client.meta.partition)
    return connect(module, "pricing", region=region, max_attempts=2) if region else None


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
