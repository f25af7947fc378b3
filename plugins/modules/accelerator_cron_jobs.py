#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: accelerator_cron_jobs
version_added: 0.1.0
short_description: Keep CronJobs in Kubernetes that look at the accelerators of nodes
description:
  - Each node has a CronJob, whose pods make the look of M(mlfleet.hyperpod.accelerator_jobs) by the same files. A pod prints the
    same answer, changes nothing, and ends with 0 where the node is C(fit) or C(watch), with 1 where it is C(unfit-reboot) or
    C(unfit-replace), and with 2 where nobody knows. So a Job of a node that somebody is to look at has failed.
  - A CronJob is bound to its node by name, so its pods never wait for a scheduler, and no autoscaler starts a node for them. The
    node owns it, and Kubernetes removes it with the node. Nodes that come later get theirs with the next run.
  - Nodes of Karpenter get none, since it does not take a node away while pods come and go there.
options:
  nodes:
    description:
      - The nodes. One that Kubernetes does not have, and one that Karpenter made, gets no CronJob, and RV(left_out) says so.
        CronJobs of nodes that are not named are removed.
    type: list
    elements: dict
    default: []
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
  state:
    description:
      - Whether there are such CronJobs. With V(absent) all that the module made in O(namespace) is removed, with the pods, but for
        the namespace.
    type: str
    choices: [present, absent]
    default: present
  schedule:
    description:
      - When, as in a crontab, by the clock of the API server. Without it, once an hour, each node at a minute of its own.
    type: str
    default: ''
  image:
    description:
      - An image with C(python3), 3.9 or newer, and C(chroot). Nothing else of it is used.
      - It runs as root on the nodes. The default is a public tag, which can change at any time, so name an image by its digest
        (C(REPOSITORY@sha256:...)). Nodes without a way to the internet need one from a registry of yours.
    type: str
    default: public.ecr.aws/docker/library/python:3.12-slim
  namespace:
    description:
      - Namespace of the CronJobs. A new one is created with the labels C(app.kubernetes.io/managed-by=mlfleet.hyperpod) and
        C(pod-security.kubernetes.io/enforce=privileged), and stays.
      - Whoever may create Pods in it is root on the nodes. So one that exists without the first label is refused, and so is one of
        a team of task governance (C(hyperpod-ns-...)). With O(state=absent) any namespace is taken.
    type: str
    default: mlfleet-hyperpod
  pod_timeout:
    description:
      - Seconds that a look may take, V(10) to V(3600). It includes the time to pull O(image).
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
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - mlfleet.hyperpod.lock_option
  - mlfleet.hyperpod.lock_option.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster)."
  - "In Kubernetes the caller must be allowed to list nodes; to list, create, patch and delete configmaps and cronjobs in
    O(namespace); to get the namespace, and to create it where it is not there."
  - M(mlfleet.hyperpod.accelerator_jobs) tells what the pods may do, and why.
  - Not yet run against live AWS, nor with a kubelet and accelerators.
seealso:
  - module: mlfleet.hyperpod.accelerator_jobs
  - module: mlfleet.hyperpod.accelerator_health
"""

EXAMPLES = r"""
- name: Look at two nodes once an hour
  mlfleet.hyperpod.accelerator_cron_jobs:
    eks_cluster: training
    region: us-west-2
    nodes:
      - instance_id: i-0123456789abcdef0
        instance_type: ml.p5.48xlarge
      - instance_id: i-0123456789abcdef1
        instance_type: ml.p5.48xlarge

- name: No more
  mlfleet.hyperpod.accelerator_cron_jobs:
    eks_cluster: training
    region: us-west-2
    state: absent
"""

RETURN = r"""
cron_jobs:
  description: CronJobs of this module that are there; in check mode as they would be.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      type: str
      sample: accelerator-health-i-0123456789abcdef0
    instance_id:
      description: The node that its pods look at.
      type: str
      sample: i-0123456789abcdef0
    schedule:
      description: When.
      type: str
      sample: 48 * * * *
left_out:
  description: Nodes that get no CronJob.
  returned: success
  type: list
  elements: dict
  contains:
    instance_id:
      description: The node.
      type: str
      sample: i-0123456789abcdef1
    why:
      description: The reason, as a sentence.
      type: str
      sample: Kubernetes has no node hyperpod-i-0123456789abcdef1.
changes:
  description: Every change that was made, or in check mode would be made.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: CronJob mlfleet-hyperpod/accelerator-health-i-0123456789abcdef0
      field:
      before:
      after:
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {"cluster_arn": {"type": "str"}, **options.SPEC, **CONNECTION, **LOCK_OPTION}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    kubernetes = connect_kubernetes(module)
    return Resource(
        observe=Observer(kubernetes, desired),
        plan=lambda state: plan(desired, state),
        apply=Applier(kubernetes),
        result=lambda state: result(desired, state),
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
