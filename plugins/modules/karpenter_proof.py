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
  - Creates a pod that does nothing and that only a node of one C(NodePool) and one instance type may run, waits until
    HyperPod's managed Karpenter has brought that node and the pod runs, deletes the pod, and waits until the node is gone from
    Kubernetes and from HyperPod.
  - The node costs money while it is there. Its price is told before it is asked for, in RV(price) in check mode too.
  - The pod is deleted whatever happens after it was created, also when the module is asked to end. Where it was killed at once,
    the pod ends by itself after O(up_timeout) seconds on its node, and the next proof of the C(NodePool) removes it first.
  - A failure names what keeps the node from coming or from going, the next step, and what was seen until then.
  - No other collection knows HyperPod's Karpenter.
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
      - By default the cheapest of those that the C(NodePool) can have. Types without a known price come after those with one.
    type: str
  namespace:
    description:
      - Namespace of the pod. Not one of a team of task governance, where AWS denies pods that are in no queue. Whether the API
        server takes the pod is asked by a dry run first.
    type: str
    default: default
  image:
    description:
      - Image of the pod, which must run without root, and until it is ended.
      - Nodes without a way to the internet need one of their own, such as a copy in Amazon ECR.
    type: str
    default: registry.k8s.io/pause:3.10
  up_timeout:
    description:
      - Seconds from the pod's creation until it must run, V(1) to V(86400). Capacity that comes late counts.
    type: int
    default: 1200
  down_timeout:
    description:
      - Seconds from the pod's deletion until its node must be gone, V(1) to V(86400). What the C(NodePool) waits by itself
        (C(consolidateAfter)) is added.
    type: int
    default: 900
  poll_interval:
    description:
      - Seconds between two looks, V(1) to V(300). The first pauses are shorter.
    type: int
    default: 10
  _progress_file:
    description:
      - Internal, set by the action plugin. A file that gets a line for what is waited for.
    type: path
attributes:
  check_mode:
    support: full
    details:
      - RV(proven) is false then, and RV(timeline) is empty.
  diff_mode:
    support: full
  idempotent:
    support: none
    details:
      - Each run proves it again.
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
    C(pricing:GetProducts). To say why a node does not come C(sagemaker:ListClusters), C(sagemaker:ListClusterEvents),
    C(sagemaker:DescribeClusterEvent), C(servicequotas:ListServiceQuotas) and C(servicequotas:ListAWSDefaultServiceQuotas)."
  - In Kubernetes the caller needs to read nodes, pods, namespaces, pod disruption budgets and Karpenter's custom resources, and
    to create and delete pods in O(namespace), as EKS's policy C(AmazonEKSClusterAdminPolicy) allows.
  - Refused before anything is changed are a C(NodePool) that is not ready, one that never ends an empty node
    (C(consolidateAfter) V(Never), a disruption budget of no nodes), and one with nodes of O(instance_type) on which others work.
    Nodes of it that are empty are waited away first.
  - Two proofs of a C(NodePool) at the same time disturb each other; with O(lock=true) there is one at a time.
  - Moments in RV(timeline) are those at which a step was first seen, up to O(poll_interval) seconds after it happened.
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_autoscaling
  - module: mlfleet.hyperpod.karpenter_requirement_info
  - name: Autoscaling on SageMaker HyperPod EKS
    description: AWS's guide.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling.html
"""

EXAMPLES = r"""
- name: What would the proof cost an hour?
  mlfleet.hyperpod.karpenter_proof:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    node_pool: gpus
  check_mode: true
  register: planned

- name: From no node to one, and back
  mlfleet.hyperpod.karpenter_proof:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    node_pool: gpus
    image: 111111111111.dkr.ecr.us-west-2.amazonaws.com/pause:3.10
"""

RETURN = r"""
proven:
  description: Whether the node came and went; false in check mode.
  returned: success
  type: bool
  sample: true
node_pool:
  description: Name of the C(NodePool).
  returned: success
  type: str
  sample: gpus
pod:
  description: Namespace and name of the pod.
  returned: success
  type: str
  sample: default/hyperpod-proof-gpus
instance_type:
  description: Instance type of the node.
  returned: success
  type: str
  sample: ml.g5.8xlarge
instance_group:
  description: Instance group of the node; in check mode not known where several have the type.
  returned: success
  type: str
  sample: g5-a
price:
  description: Price of such a node.
  returned: success
  type: dict
  contains:
    per_hour:
      description: Price an hour, or null where it is unknown.
      type: float
      sample: 3.06
    currency:
      description: What it is in.
      type: str
      sample: USD
    source:
      description: V(price list), V(table of) with its month, or V(unknown).
      type: str
      sample: price list
    told:
      description: The same for people.
      type: str
      sample: about 3.06 USD an hour
candidates:
  description: Instance types that the C(NodePool) can have, in the order in which one is chosen.
  returned: success
  type: list
  elements: dict
  contains:
    instance_type:
      description: Instance type.
      type: str
      sample: ml.g5.8xlarge
    instance_groups:
      description: Instance groups of the C(HyperpodNodeClass) that have it.
      type: list
      elements: str
      sample: [g5-a]
    price_per_hour:
      description: Price of one node an hour, or null where it is unknown.
      type: float
      sample: 3.06
timeline:
  description: What was seen, and when.
  returned: success, and when it failed after it had begun
  type: list
  elements: dict
  contains:
    step:
      description:
        - V(pod created), V(pod created again), V(NodeClaim made), V(NodeClaim launched), V(node registered), V(node ready),
          V(pod running), V(pod deleted), V(node being ended), V(node gone from HyperPod), V(node gone from Kubernetes) or
          V(NodeClaim gone); V(pod of an earlier run deleted) before them.
      type: str
      sample: node ready
    name:
      description: What it is about, such as the name of the pod, of the C(NodeClaim) or of the node.
      type: str
      sample: hyperpod-i-0123456789abcdef0
    at:
      description: When it was seen.
      type: str
      sample: "2026-11-24T10:05:31Z"
    seconds:
      description: Seconds since the proof began.
      type: float
      sample: 312.4
seconds_up:
  description: Seconds from the pod's creation until it ran, or null in check mode.
  returned: success
  type: float
  sample: 320.1
seconds_down:
  description: Seconds from the pod's deletion until there was no node, or null in check mode.
  returned: success
  type: float
  sample: 190.7
changes:
  description: Every change that was made, or in check mode would be made.
  returned: success, and when it failed after it had begun
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
    """None in a partition without one."""
    region = PRICE_LIST_REGIONS.get(connect(module, "sagemaker").client.meta.partition)
    return connect(module, "pricing", region=region, max_attempts=2) if region else None


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
