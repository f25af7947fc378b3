#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_lock
version_added: 0.1.0
short_description: Manage the lock of a SageMaker HyperPod cluster
description:
  - Acquires, renews, releases or reads the lock of a cluster. It is stored in Systems Manager Parameter Store, so it works across
    machines and containers.
  - A lock that another run holds is not a failure. The result is then RV(acquired=false) with the holder, and the play decides
    what to do.
  - A lock ends when it is released or expires. The lock of an ended process on this machine is taken over immediately. This does
    not apply to runs in other containers or PID namespaces.
  - Acquiring a lock that this run already holds changes nothing, or renews the lock if more than half of its lifetime has passed.
options:
  cluster_arn:
    description:
      - ARN of the cluster. The Region must match the ARN.
    type: str
    required: true
  state:
    description:
      - State of the lock.
    type: str
    choices:
      present: This run holds the lock, unless another run holds it.
      absent: Neither this run nor an ended run on this machine holds the lock.
      query: Nothing is changed. The holder is returned.
    default: present
  owner:
    description:
      - Name of the holder, for display. Default is the user and the host.
    type: str
  token:
    description:
      - Identifies this run. Acquire and release the lock with the same value.
      - Default is derived from the process of the running ansible command, so it is the same in all of its plays.
    type: str
  ttl:
    description:
      - Seconds until the lock expires, V(60) to V(86400). Modules with C(lock=true) renew it for an hour while they run. Choose a
        value that is longer than the time between two such modules.
    type: int
    default: 3600
  force:
    description:
      - Whether to acquire or release the lock even if another run holds it. That run fails within a minute, before its next call
        to AWS.
    type: bool
    default: false
  generation:
    description:
      - With O(state=absent) and O(force=true), the generation of the lock to release. A newer lock is not released.
    type: int
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - A run that holds its lock for a long time renews it.
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
  - The clocks of the machines that share a lock must agree within a few minutes. AWS requires this anyway.
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

- name: End the play of this cluster if another run holds the lock
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
    - Whether this run holds the lock. In check mode, whether it would.
  returned: success
  type: bool
  sample: true
holder:
  description: Holder of the lock. Null if the lock is free.
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
      description: Identifies the run of the holder.
      type: str
      sample: bastion/4242/1234567
    host:
      description: Machine or container of the run.
      type: str
      sample: bastion
    place:
      description: PID namespace and boot in which C(pid) is valid. Empty if unknown.
      type: str
      sample: 0d5fa1e2-7f0f-4b52-b2dd-1d4bb0e6c1a7/3
    pid:
      description: Process of the ansible command. V(0) if unknown.
      type: int
      sample: 4242
    started:
      description: Start of that process in clock ticks since boot. V(0) if unknown.
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
    - State of the holder's run. V(running) or V(ended) on this machine, V(unknown) on other machines, and empty if the lock is
      free.
  returned: success
  type: str
  sample: unknown
parameter:
  description: Path of the lock in Parameter Store. Its generations are below it.
  returned: success
  type: str
  sample: /mlfleet/hyperpod/abc123def456/lock
changes:
  description: Changes that were made, or would be made in check mode.
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


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
