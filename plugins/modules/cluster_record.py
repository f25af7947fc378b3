#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_record
version_added: 0.1.0
short_description: Record a decision about a SageMaker HyperPod cluster that later runs honour
description:
  - Keeps decisions of people in Systems Manager Parameter Store, one parameter for each, so that a run on another
    machine or in a container knows them. A drained login node stays drained, an offboarded person stays away.
  - Each record holds who made it and when, and the fields of O(value).
  - A parameter among the records that is none of them is named with its path. One about an offboarded person or an adopted
    resource stops the module, since to overlook it would undo a decision; O(state=absent) removes it. One about a drained
    or a repaired node is a note in RV(hyperpod_findings); a drained node whose instance id is its name stays drained.
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
      present: The record exists and says O(value). One that says so already keeps its owner and date.
      absent: The record does not exist.
      query: Nothing is changed; all records of the cluster are returned.
    default: present
  kind:
    description:
      - What was decided. Required unless O(state=query).
    type: str
    choices:
      drained: A login node takes no logins; O(name) is its instance id.
      offboarded: A person has no access any more; O(name) is the user name.
      adopted: A resource that others made is kept by this collection; O(name) says which part it plays.
      repaired: A node was rebooted or replaced, since it was unfit for work; O(name) is its instance id.
  name:
    description:
      - Name of the record within its kind. An instance id where O(kind=drained) or O(kind=repaired), a user name where
        O(kind=offboarded), V(balancer) or V(host_keys) where O(kind=adopted). With O(state=absent) any name of a parameter,
        so that wrong ones can be removed.
      - Required unless O(state=query).
    type: str
  value:
    description:
      - Fields of the record; at most 4,096 characters as JSON.
    type: dict
    default: {}
  owner:
    description:
      - Who decided, for people to read. The user and the host by default.
    type: str
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
  - mlfleet.hyperpod.lock_option
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions, all on C(parameter/mlfleet/hyperpod/*): C(ssm:GetParametersByPath), C(ssm:PutParameter),
    C(ssm:AddTagsToResource), C(ssm:DeleteParameter).'
seealso:
  - module: mlfleet.hyperpod.cluster_lock
"""

EXAMPLES = r"""
- name: Read what was decided about a cluster
  mlfleet.hyperpod.cluster_record:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: query
  register: decided

- name: Record that a login node takes no logins
  mlfleet.hyperpod.cluster_record:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    kind: drained
    name: i-0123456789abcdef0
    value:
      reason: "memory errors, ticket 4711"
"""

RETURN = r"""
records:
  description: All records of the cluster, by kind and name. In check mode, as they would be.
  returned: success
  type: dict
  sample:
    drained:
      i-0123456789abcdef0:
        owner: ops@bastion
        since: "2026-11-21T01:02:03Z"
        reason: memory errors, ticket 4711
    offboarded: {}
    adopted: {}
    repaired: {}
hyperpod_findings:
  description: Parameters among the records that are none, and how to remove them, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
changes:
  description: What was changed, or would be in check mode.
  returned: always
  type: list
  elements: dict
  sample:
    - action: create
      resource: record drained i-0123456789abcdef0
      field: null
      before: null
      after:
        owner: ops@bastion
        since: "2026-11-21T01:02:03Z"
        reason: memory errors, ticket 4711
"""

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.model import KINDS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.claim import own_name
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "state": {"type": "str", "default": "present", "choices": ["present", "absent", "query"]},
    "kind": {"type": "str", "choices": list(KINDS)},
    "name": {"type": "str"},
    "value": {"type": "dict", "default": {}},
    "owner": {"type": "str"},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    arn = ClusterArn.parse(module.params["cluster_arn"])
    check_region(arn, module.region)
    now = iso_seconds(datetime.datetime.now(datetime.timezone.utc))
    desired = options.desired(module.params, owner=own_name(), now=now)
    parameters = Parameters(connect(module, "ssm"))
    return Resource(
        observe=Observer(parameters, arn),
        plan=lambda state: plan(desired, state),
        apply=Applier(parameters, arn),
        result=lambda state: result(desired, state),
    )


def main() -> None:
    named = [("state", state, ("kind", "name")) for state in ("present", "absent")]
    run_aws(aws_module(argument_spec=SPEC, required_if=named), resource)


if __name__ == "__main__":
    main()
