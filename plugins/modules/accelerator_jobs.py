#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: accelerator_jobs
version_added: 0.1.0
short_description: Tell whether the accelerators of nodes in Kubernetes are fit for work, and why not
description:
  - Looks at nodes of a HyperPod cluster with Amazon EKS as M(mlfleet.hyperpod.accelerator_health) looks at a node over SSH, and
    by the same files, through a Job for each node. It starts no work on a device, and asks for none.
  - A Job is bound to its node by name, tolerates all taints, has a deadline, and has the node's file system read-only, apart
    from C(/run/mlfleet-hyperpod/hung-tools), where looks record the tools that they start. What it found is read from its log.
    Jobs and the ConfigMap with the program are removed whatever happens, also when the module is asked to end. What was killed at
    once ends by itself; Kubernetes removes the Jobs ten minutes later, and the next run that is late enough the rest.
  - A node that has just booted and lacks devices is looked at again each minute, once all others have been looked at, until it
    lacks nothing or has settled, for as long as C(settles_in) of RV(nodes[].health) says, at most.
  - Also tells what HyperPod, AWS's node monitoring and others say of each node in its labels, taints and conditions.
options:
  nodes:
    description:
      - The nodes. One that Kubernetes does not have, or whose kubelet is not ready, has no answer, and RV(nodes[].why) says so.
    type: list
    elements: dict
    required: true
    suboptions:
      instance_id:
        description: The node's instance ID. Its name in Kubernetes is C(hyperpod-) and this.
        type: str
        required: true
      instance_type:
        description:
          - The type of the node, such as V(ml.p5.48xlarge), for what the type should have. Without it the name counts that the
            machine gives itself.
        type: str
        default: ''
      expected_gpus:
        description:
          - GPUs that the type has, as EC2's DescribeInstanceTypes says. Without any of these three, a table of common types
            counts.
        type: int
      expected_efa_devices:
        description: EFA devices that the type has.
        type: int
      expected_neuron_devices:
        description: Neuron devices that the type has.
        type: int
  image:
    description:
      - An image with C(python3), 3.9 or newer, and C(chroot). Nothing else of it is used.
      - It runs as root on the nodes. The default is a public tag, which can change at any time, so name an image by its digest
        (C(REPOSITORY@sha256:...)). Nodes without a way to the internet need one from a registry of yours.
    type: str
    default: public.ecr.aws/docker/library/python:3.12-slim
  namespace:
    description:
      - Namespace of the Jobs. A new one is created with the labels C(app.kubernetes.io/managed-by=mlfleet.hyperpod) and
        C(pod-security.kubernetes.io/enforce=privileged), and stays.
      - Whoever may create Pods in it is root on the nodes. So one that exists without the first label is refused, and so is one of
        a team of task governance (C(hyperpod-ns-...)).
    type: str
    default: mlfleet-hyperpod
  batch:
    description: Nodes that are looked at at the same time, V(1) to V(500). Those on which nobody works come first.
    type: int
    default: 20
  batch_timeout:
    description:
      - Seconds that a look may take from when its Job is there, V(10) to V(3600). It includes the time to pull O(image).
    type: int
    default: 300
  dcgm:
    description:
      - Whether to ask C(dcgmi diag) at level 1, where the node has it. That takes some seconds and starts no work on GPUs.
    type: bool
    default: true
  health_profile:
    description:
      - Thresholds and waivers, as the option O(mlfleet.hyperpod.accelerator_health#module:profile) takes them.
        O(profile) is that of AWS here.
    type: dict
  timeout:
    description: Seconds, from 1 to 300, that each tool has.
    type: int
    default: 30
  poll_interval:
    description: Seconds between two looks at the pods, V(1) to V(300). The first pauses are shorter.
    type: int
    default: 5
  _progress_file:
    description:
      - Internal, set by the action plugin. A file that gets a line for what is waited for.
    type: path
attributes:
  check_mode:
    support: partial
    details:
      - No Job is made then, so nobody looks at the nodes. What Kubernetes says of them is read.
  diff_mode:
    support: none
  idempotent:
    support: full
    details:
      - It looks again with each run. C(changed) is true where it made the namespace, since all else is gone when it ends.
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster)."
  - "In Kubernetes the caller must be allowed to list nodes; to create, list, get and delete configmaps and jobs in O(namespace); to
    list pods there, and get C(pods/log); to get the namespace, and to create it if it does not exist. To list the pods of
    all namespaces is not needed; RV(pods_seen) is false without it."
  - The Pod's command has the hashes of the program and its settings, and runs them only if the ConfigMap has these files.
  - The pod is privileged, since the driver of an accelerator answers nobody else, and tools of the node are run with C(chroot).
    It is in the node's PID namespace, so that a tool which hangs in the driver does not keep the container from ending, and in
    its network, where DCGM answers, so that it needs no address.
  - Nothing else is remembered on the node, so there are no rates, nothing is worse for being there again, and what the kernel said
    counts for the whole boot.
  - Not yet run against live AWS, nor with a kubelet and accelerators.
seealso:
  - module: mlfleet.hyperpod.accelerator_health
"""

EXAMPLES = r"""
- name: Look at two nodes
  mlfleet.hyperpod.accelerator_jobs:
    eks_cluster: training
    region: us-west-2
    nodes:
      - instance_id: i-0123456789abcdef0
        instance_type: ml.p5.48xlarge
      - instance_id: i-0123456789abcdef1
        instance_type: ml.p5.48xlarge
  register: looked

- name: Stop unless both are fit
  ansible.builtin.assert:
    that: looked.nodes | map(attribute='health.verdict', default='unknown') | unique == ['fit']
"""

RETURN = r"""
nodes:
  description: The nodes, in the order of O(nodes).
  returned: success
  type: list
  elements: dict
  contains:
    instance_id:
      description: The node's instance ID.
      type: str
      sample: i-0123456789abcdef0
    health:
      description:
        - What the node told, as M(mlfleet.hyperpod.accelerator_health) returns it, or null. A node may tell anything; texts are
          printable, names, depth and length are limited.
      type: dict
      sample: {verdict: fit, problems: []}
    why:
      description: Why there is no answer, else empty.
      type: str
      sample: ""
    kubernetes:
      description: What Kubernetes says of the node, in printable words, or null where it has no such node.
      type: dict
      contains:
        name:
          description: Its name.
          type: str
          sample: hyperpod-i-0123456789abcdef0
        health_status:
          description: Its label C(sagemaker.amazonaws.com/node-health-status).
          type: str
          sample: Schedulable
        deep_health_check:
          description: Its label C(sagemaker.amazonaws.com/deep-health-check-status).
          type: str
          sample: Passed
        fault_types:
          description: Its label C(sagemaker.amazonaws.com/fault-types).
          type: str
          sample: ""
        fault_reasons:
          description: Its label C(sagemaker.amazonaws.com/fault-reasons).
          type: str
          sample: ""
        unschedulable:
          description: It is cordoned.
          type: bool
          sample: false
        taints:
          description: Its taints.
          type: list
          elements: str
          sample: ["nvidia.com/gpu=true:NoSchedule"]
        conditions:
          description:
            - Conditions that say that something is wrong, V(type), V(status), V(reason) and V(message). Types that end in
              V(Ready) do so unless they hold, others where they hold.
          type: list
          elements: dict
          sample: []
        pods:
          description: Pods that have asked for its accelerators and are not over.
          type: list
          elements: str
          sample: [research/train-0]
        not_ready:
          description: Why its kubelet starts no pod, else empty.
          type: str
          sample: ""
        node_pool:
          description: Karpenter's NodePool that it belongs to, by its label, else empty.
          type: str
          sample: ""
        cordoned_for:
          description: Why M(mlfleet.hyperpod.kubernetes_nodes) has cordoned it, else empty.
          type: str
          sample: ""
pods_seen:
  description: Whether the caller may list the pods of all namespaces. Else nobody knows on which nodes somebody works.
  returned: success
  type: bool
  sample: true
changes:
  description: Every change that lasts.
  returned: success
  type: list
  elements: dict
  sample: []
"""

import typing as t
import uuid

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.apply import Looks
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.model import Answer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.plan import batches, refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_number
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import namespace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.observe import Observer

SPEC = {
    **options.SPEC,
    "poll_interval": {"type": "int", "default": 5},
    "_progress_file": {"type": "path"},
    **CONNECTION,
}
NOBODY = "Check mode makes no Jobs, so nobody looked at it."


def look(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    desired, interval = options.desired(params), check_number("poll_interval", params["poll_interval"], 1, 300)
    kubernetes = connect_kubernetes(module)
    state = Observer(kubernetes)()
    answers = refused(desired, state)
    planned = batches(desired, state, answers)
    if module.check_mode:
        namespace.check_own(kubernetes, desired.namespace)
        answers.update({asked.instance_id: Answer(why=NOBODY) for batch in planned for asked in batch})
    elif planned:
        run, progress = uuid.uuid4().hex[:8], Progress(params["_progress_file"])
        looks = Looks(kubernetes, desired, run=run, progress=progress, interval=interval)
        try:
            answers.update(looks(planned))
        finally:
            for each in looks.runner.made.left:
                module.warn(f"It could not be removed, so the next run is to do it: {each}")
    return {"changed": bool(APPLIED), "changes": list(APPLIED), **result(desired, state, answers)}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), look)


if __name__ == "__main__":
    main()
