#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: training_lease
version_added: 0.1.0
short_description: Acquire the Lease of a run that verifies training on a Kubernetes cluster
description:
  - Acquires, renews or releases the Lease C(mlfleet-training) of a namespace, so that no other run verifies training there, also
    not between two modules of this run. Pass RV(training_lease.holder) to M(mlfleet.hyperpod.training_job),
    M(mlfleet.hyperpod.nccl_jobs) and M(mlfleet.hyperpod.accelerator_jobs), which renew the Lease while they work.
  - The Lease expires two minutes after it was last renewed, so that a killed run does not block other runs. If no module renews it
    in time, the next module acquires it again, or fails if another run acquired it in the meantime.
  - After the Lease was acquired, the module removes the training jobs that killed runs left in the namespace, and waits up to 90
    seconds until their Pods have ended.
options:
  state:
    description:
      - State of the Lease.
    type: str
    choices:
      present: The run holds the Lease. If another run holds it, the module fails, names the holder, and changes nothing.
      absent: The Lease is deleted if O(holder) holds it.
    default: present
  namespace:
    description:
      - Namespace of the Lease, which is that of the training jobs.
    type: str
    default: mlfleet-training
  create_namespace:
    description:
      - Whether the namespace must belong to this collection. A missing namespace is then created, and an existing namespace
        without the label C(app.kubernetes.io/managed-by=mlfleet.hyperpod) is refused, as by M(mlfleet.hyperpod.training_job).
      - Use V(false) for the namespace of a claim or a queue, which must exist.
    type: bool
    default: true
  holder:
    description:
      - Name of the run, at most 200 printable characters. Required with O(state=absent). With O(state=present), the module by
        default returns a new name, which contains the user and the host.
    type: str
attributes:
  check_mode:
    support: full
    details:
      - In check mode, the module acquires no Lease, but fails if another run holds the Lease.
  diff_mode:
    support: none
  idempotent:
    support: partial
    details:
      - A Lease that the run already holds is renewed. C(changed) is true only if the module created the namespace, because a run
        removes the Lease at its end.
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
  - "Kubernetes permissions of the caller: create, get, patch and delete leases of C(coordination.k8s.io) in O(namespace); list Pods
    there; get the namespace, and create it if it does not exist. To remove what a killed run left, also list and delete configmaps,
    services and jobs of all kinds there, and priorityclasses of C(scheduling.k8s.io). Kinds that the caller may not list are
    skipped."
seealso:
  - module: mlfleet.hyperpod.training_job
"""

EXAMPLES = r"""
- name: Acquire the Lease
  mlfleet.hyperpod.training_lease:
    eks_cluster: training
    region: us-west-2
    namespace: research
    create_namespace: false
  register: lease

- name: Release the Lease
  mlfleet.hyperpod.training_lease:
    eks_cluster: training
    region: us-west-2
    namespace: research
    holder: "{{ lease.training_lease.holder }}"
    state: absent
"""

RETURN = r"""
training_lease:
  description: The Lease.
  returned: success
  type: dict
  contains:
    namespace:
      description: Namespace of the Lease.
      type: str
      sample: research
    name:
      description: Name of the Lease.
      type: str
      sample: mlfleet-training
    holder:
      description: Name of the run.
      type: str
      sample: run-0a1b2c3d of alice@control
changes:
  description: Changes that remain after the run has ended.
  returned: success
  type: list
  elements: dict
  sample: []
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import namespace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.lease import check_holder
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.lease import NAMESPACE, RunLease, new_holder

SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "namespace": {"type": "str", "default": NAMESPACE},
    "create_namespace": {"type": "bool", "default": True},
    "holder": {"type": "str"},
    **CONNECTION,
}


def hold(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    own, space = params["create_namespace"], params["namespace"]
    namespace.check_name(space, of_teams=not own)
    if params["holder"] is None and params["state"] == "absent":
        raise Refused("holder: missing; state=absent requires it.", option="holder")
    holder = new_holder() if params["holder"] is None else check_holder("holder", params["holder"])
    lease = RunLease(connect_kubernetes(module), space, holder=holder, own=own)
    try:
        if params["state"] == "present":
            lease.check() if module.check_mode else lease.acquire()
        elif not module.check_mode:
            lease.release()
    finally:
        for each in lease.left:
            module.warn(each)
    found = {"namespace": space, "name": lease.name, "holder": holder}
    return {"changed": bool(APPLIED), "changes": list(APPLIED), "training_lease": found}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), hold)


if __name__ == "__main__":
    main()
