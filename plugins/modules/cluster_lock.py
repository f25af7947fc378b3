#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_lock
version_added: 0.1.0
short_description: Let one run at a time change a SageMaker HyperPod cluster
description:
  - Takes, renews, releases or reads the lock of a cluster. The lock lives in Systems Manager Parameter Store, so that
    it holds between machines and containers.
  - A lock that somebody else holds is not a failure. The result says RV(acquired=false) and names the holder, and the
    play decides.
  - A lock ends when it is released or when its time has passed. The lock of a run on this machine whose process has
    ended is taken over at once. A run in another container, or in process numbers of its own, is not judged.
  - Taking a lock that this run holds already changes nothing, or renews it when more than half of its time has passed.
options:
  cluster_arn:
    description:
      - ARN of the cluster. The region must be that of the ARN.
    type: str
    required: true
  state:
    description:
      - What is wanted.
    type: str
    choices:
      present: This run holds the lock, unless somebody else does.
      absent: This run does not hold the lock, and no run of this machine whose process has ended.
      query: Nothing is changed; the holder is returned.
    default: present
  owner:
    description:
      - Who holds the lock, for people to read. The user and the host by default.
    type: str
  token:
    description:
      - Tells this run from others. The same value takes and releases the lock.
      - By default it is made from the process of the running ansible command, so it is the same in all of its plays.
    type: str
  ttl:
    description:
      - Seconds until the lock ends by itself, from V(60) to V(86400). Modules with C(lock=true)
        renew it for an hour while they work; longer than what runs between two of them.
    type: int
    default: 3600
  force:
    description:
      - Take or release the lock even though somebody else holds it. Their run fails when it notices, within a minute, before
        its next call to AWS.
    type: bool
    default: false
  generation:
    description:
      - With O(state=absent) and O(force=true), the number of the lock that is meant, so that no newer one is released.
    type: int
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - A run that holds its lock for long renews it.
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
  - The clocks of the machines that share a lock must agree within a few minutes, as AWS demands of them anyway.
seealso:
  - name: PutParameter
    description: The API reference of Systems Manager.
    link: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
"""

EXAMPLES = r"""
- name: Take the lock
  mlfleet.hyperpod.cluster_lock:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
  register: lock

- name: End the play of this cluster if somebody else is at work on it
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
  description: Who holds the lock, or null if nobody does.
  returned: success
  type: dict
  contains:
    owner:
      description: Who holds the lock.
      type: str
      sample: ops@bastion
    generation:
      description: Number of the lock. Each holder gets the next one.
      type: int
      sample: 7
    token:
      description: Tells the holder's run from others.
      type: str
      sample: bastion/4242/1234567
    host:
      description: Machine or container of the run.
      type: str
      sample: bastion
    place:
      description: Where the process number is valid, or an empty string.
      type: str
      sample: 0d5fa1e2-7f0f-4b52-b2dd-1d4bb0e6c1a7/3
    pid:
      description: Process of the ansible command, or 0 if it is not known.
      type: int
      sample: 4242
    started:
      description: Start of that process in clock ticks since boot, or 0.
      type: int
      sample: 1234567
    acquired:
      description: When the lock was taken.
      type: str
      sample: "2026-11-21T01:02:03Z"
    expires:
      description: When the lock ends by itself.
      type: str
      sample: "2026-11-21T02:02:03Z"
    released:
      description: Always false for a holder.
      type: bool
      sample: false
holder_run:
  description:
    - What is known of the holder's run. V(running) or V(ended) on this machine, V(unknown) elsewhere, and an empty text if
      nobody holds the lock.
  returned: success
  type: str
  sample: unknown
parameter:
  description: Path of the lock in Parameter Store. Its generations are below it.
  returned: success
  type: str
  sample: /mlfleet/hyperpod/abc123def456/lock
changes:
  description: What was changed, or would be in check mode.
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
