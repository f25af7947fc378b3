#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: accelerator_cron_jobs
version_added: 0.1.0
short_description: Manage Kubernetes CronJobs that check the accelerators of nodes
description:
  - Creates a CronJob for each node. The Pods of a CronJob run the same program as M(mlfleet.hyperpod.accelerator_jobs), and print
    the same result. The check changes nothing on the node except its records in C(/run/mlfleet-hyperpod/hung-tools).
  - The exit status of a check is 0 if the node is C(fit) or C(watch), 1 if it is C(unfit-reboot) or C(unfit-replace), and 2 if
    its health is unknown. The Job therefore fails if the node needs attention.
  - The Pods of a CronJob are bound to their node by name, so they do not wait for a scheduler, and no autoscaler starts a node
    for them. The Node object owns the CronJob, so Kubernetes removes the CronJob with the Node. A new node gets a CronJob when
    the module runs again.
  - Nodes that Karpenter created get no CronJob. Karpenter would not remove such a node while scheduled checks run there.
options:
  nodes:
    description:
      - Nodes to check. A node gets no CronJob if Kubernetes does not have it or if Karpenter created it. RV(left_out) lists these
        nodes with the reasons. CronJobs of nodes that are not listed here are removed.
    type: list
    elements: dict
    default: []
    suboptions:
      instance_id:
        description: Instance ID of the node.
        type: str
        required: true
      node:
        description: Name of the node in Kubernetes. The default is HyperPod's name, C(hyperpod-INSTANCE_ID).
        type: str
        default: ''
      instance_type:
        description:
          - Instance type of the node, such as V(ml.p5.48xlarge). It determines which devices are expected. The default is the
            type that the node's firmware reports.
        type: str
        default: ''
      expected_gpus:
        description:
          - Number of GPUs of the instance type, as EC2 C(DescribeInstanceTypes) returns it. If this option,
            O(nodes[].expected_efa_devices) and O(nodes[].expected_neuron_devices) are all omitted, the check uses a built-in
            table of common types.
        type: int
      expected_efa_devices:
        description: Number of EFA devices of the instance type.
        type: int
      expected_neuron_devices:
        description: Number of Neuron devices of the instance type.
        type: int
  state:
    description:
      - Whether the CronJobs exist. V(absent) removes everything that the module created in O(namespace), including Pods. It does
        not remove the namespace.
    type: str
    choices: [present, absent]
    default: present
  schedule:
    description:
      - Schedule in crontab format, in the time zone of the Kubernetes control plane. By default, each node is checked once an
        hour, at a minute that depends on the instance ID. Several nodes can have the same minute.
    type: str
    default: ''
  image:
    description:
      - Container image. It must contain C(python3), version 3.9 or newer, and C(chroot). The check uses nothing else in it.
      - The image runs as root on the nodes. The default is a public tag, whose content can change at any time, so use a digest
        (C(REPOSITORY@sha256:...)) instead. Nodes without internet access need an image in a registry that they can reach.
    type: str
    default: public.ecr.aws/docker/library/python:3.12-slim
  namespace:
    description:
      - Namespace of the CronJobs. A missing namespace is created with the labels C(app.kubernetes.io/managed-by=mlfleet.hyperpod)
        and C(pod-security.kubernetes.io/enforce=privileged). The module never removes the namespace.
      - An account that may create Pods in this namespace can become root on the nodes. An existing namespace without the first
        label is therefore refused. The namespace of a task governance team (C(hyperpod-ns-...)) is also refused. O(state=absent)
        accepts any namespace.
    type: str
    default: mlfleet-hyperpod
  pod_timeout:
    description:
      - Time limit of a check in seconds, V(10) to V(3600). It includes the time to pull O(image).
    type: int
    default: 300
  dcgm:
    description:
      - Whether to run C(dcgmi diag) at level 1 if the node has it. This takes some seconds and starts no work on GPUs.
    type: bool
    default: true
  health_profile:
    description:
      - Thresholds and waivers, as in O(mlfleet.hyperpod.accelerator_health#module:profile). In this module, O(profile) is the AWS
        profile.
    type: dict
  timeout:
    description: Time limit of each tool in seconds, V(1) to V(300).
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
  - "Kubernetes permissions of the caller: list nodes; list, create, patch and delete configmaps and cronjobs in O(namespace); get
    the namespace, and create it if it does not exist."
  - The documentation of M(mlfleet.hyperpod.accelerator_jobs) explains the rights of the Pods.
  - This module has not yet run against live AWS, nor with a kubelet and accelerators.
seealso:
  - module: mlfleet.hyperpod.accelerator_jobs
  - module: mlfleet.hyperpod.accelerator_health
"""

EXAMPLES = r"""
- name: Check two nodes once an hour
  mlfleet.hyperpod.accelerator_cron_jobs:
    eks_cluster: training
    region: us-west-2
    nodes:
      - instance_id: i-0123456789abcdef0
        instance_type: ml.p5.48xlarge
      - instance_id: i-0123456789abcdef1
        instance_type: ml.p5.48xlarge

- name: Remove all CronJobs
  mlfleet.hyperpod.accelerator_cron_jobs:
    eks_cluster: training
    region: us-west-2
    state: absent
"""

RETURN = r"""
cron_jobs:
  description: The CronJobs that this module created. In check mode, the predicted CronJobs.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the CronJob.
      type: str
      sample: accelerator-health-i-0123456789abcdef0
    instance_id:
      description: Instance ID of the node that its Pods check.
      type: str
      sample: i-0123456789abcdef0
    schedule:
      description: Schedule in crontab format.
      type: str
      sample: 48 * * * *
left_out:
  description: Nodes of O(nodes) that get no CronJob.
  returned: success
  type: list
  elements: dict
  contains:
    instance_id:
      description: Instance ID of the node.
      type: str
      sample: i-0123456789abcdef1
    why:
      description: Why the node has no CronJob, as a sentence.
      type: str
      sample: Node hyperpod-i-0123456789abcdef1 does not exist in Kubernetes.
changes:
  description: The changes. In check mode, the predicted changes.
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
