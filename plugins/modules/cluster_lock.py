#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_lock
version_added: 0.1.0
short_description: Manage the lock of a SageMaker HyperPod cluster or an EKS cluster
description:
  - Acquires, renews, releases or reads the lock of a cluster. The lock is stored in Systems Manager Parameter Store, so it works
    across machines and containers.
  - If another run holds the lock, the module does not fail. Instead, it returns RV(acquired=false) and the holder, and the play
    decides how to continue.
  - A lock is free again after it was released or has expired. If the run that holds the lock was started on this machine and has
    ended, the module acquires the lock immediately. It cannot do this for runs in other containers or PID namespaces.
  - If this run already holds the lock, the module renews it when more than half of its lifetime has passed. Otherwise, nothing is
    changed.
options:
  cluster_arn:
    description:
      - ARN of the HyperPod cluster or EKS cluster. The Region must match the ARN. The cluster does not need to exist.
    type: str
    required: true
  state:
    description:
      - State of the lock.
    type: str
    choices:
      present: This run holds the lock, unless another run holds it.
      absent: The lock is released if this run holds it, or if a run that was started on this machine holds it and has ended.
      query: Nothing is changed. The holder of the lock is returned.
    default: present
  owner:
    description:
      - Name of the holder, for display. The default is C(USER@HOST) of this run.
    type: str
  token:
    description:
      - Identifier of this run. Acquire and release the lock with the same value.
      - The default is derived from the process of the running ansible command, so it is the same in all plays of that command.
    type: str
  ttl:
    description:
      - Seconds until the lock expires, V(60) to V(86400). While a module with C(lock=true) runs, it renews the lock, each time for
        an hour. Choose a value that is longer than the time between two such modules.
    type: int
    default: 3600
  force:
    description:
      - Whether to acquire or release the lock even if another run holds it. The other run checks its lock once a minute, before a
        call to AWS, and fails when it no longer holds the lock.
    type: bool
    default: false
  generation:
    description:
      - With O(state=absent) and O(force=true), the generation of the lock to release. If the lock now has a different generation,
        the module fails and does not release it.
    type: int
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - If this run holds the lock and more than half of its lifetime has passed, the module renews the lock and reports a change.
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions, all on C(parameter/mlfleet/hyperpod/*): C(ssm:GetParametersByPath), C(ssm:PutParameter),
    C(ssm:AddTagsToResource), C(ssm:DeleteParameters).'
  - The clocks of all machines that use the same lock must agree within a few minutes. AWS requires this in any case.
seealso:
  - name: PutParameter
    description: The API reference of Systems Manager.
    link: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
"""

EXAMPLES = r"""
- name: Acquire the lock
  mlfleet.hyperpod.cluster_lock:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
  register: lock

- name: End the play for this cluster if another run holds the lock
  ansible.builtin.meta: end_host
  when: not lock.acquired

- name: Release the lock
  mlfleet.hyperpod.cluster_lock:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: absent
"""

RETURN = r"""
acquired:
  description:
    - Whether this run holds the lock. In check mode, whether it would hold the lock.
  returned: success
  type: bool
  sample: true
holder:
  description: Holder of the lock. Null if no run holds the lock.
  returned: success
  type: dict
  contains:
    owner:
      description: Name of the holder.
      type: str
      sample: ops@bastion
    generation:
      description: Generation of the lock, which increases with each holder.
      type: int
      sample: 7
    token:
      description: Identifier of the holder's run.
      type: str
      sample: bastion/4242/1234567
    host:
      description: Machine or container of the holder's run.
      type: str
      sample: bastion
    place:
      description: PID namespace and boot in which C(pid) is valid. Empty if unknown.
      type: str
      sample: 0d5fa1e2-7f0f-4b52-b2dd-1d4bb0e6c1a7/3
    pid:
      description: ID of the process of the ansible command. V(0) if unknown.
      type: int
      sample: 4242
    started:
      description: Start of the process RV(holder.pid), in clock ticks since boot. V(0) if unknown.
      type: int
      sample: 1234567
    acquired:
      description: Time at which the lock was acquired.
      type: str
      sample: "2026-11-21T01:02:03Z"
    expires:
      description: Time at which the lock expires.
      type: str
      sample: "2026-11-21T02:02:03Z"
    released:
      description: Always false for a holder.
      type: bool
      sample: false
holder_run:
  description:
    - State of the holder's run. It is V(running) or V(ended) for a run on this machine, V(unknown) for a run on a different
      machine, and empty if no run holds the lock.
  returned: success
  type: str
  sample: unknown
parameter:
  description: Path of the lock in Parameter Store. The generations of the lock are below this path.
  returned: success
  type: str
  sample: /mlfleet/hyperpod/abc123def456/lock
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
  sample:
    - action: create
      resource: lock /mlfleet/hyperpod/abc123def456/lock/7
      field: owner
      before: null
      after: ops@bastion
"""

import functools
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.claim import DEFAULT_TTL, own_claim
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import TRIES, lost_race, run_aws

SPEC: dict[str, dict[str, t.Any]] = {
    "cluster_arn": {"type": "str", "required": True},
    "state": {"type": "str", "default": "present", "choices": ["present", "absent", "query"]},
    "owner": {"type": "str"},
    "token": {"type": "str", "no_log": False},
    "ttl": {"type": "int", "default": DEFAULT_TTL},
    "force": {"type": "bool", "default": False},
    "generation": {"type": "int"},
}
SETTINGS = {"argument_spec": SPEC}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    check_region(desired.arn, module.region)
    ssm = connect(module, "ssm")
    observer = Observer(ssm, desired.arn)
    claim = functools.partial(own_claim, owner=desired.owner, token=desired.token, ttl=desired.ttl)
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state, claim=claim),
        apply=Applier(ssm, desired.arn, observer, warn=module.warn),
        result=lambda state: result(desired, state),
        lost_race=lost_race(desired.arn),
        tries=TRIES,
    )


def run(module: t.Any) -> t.NoReturn:
    run_aws(module, resource)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
