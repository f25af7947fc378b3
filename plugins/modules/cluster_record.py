#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_record
version_added: 0.1.0
short_description: Manage records of decisions about a SageMaker HyperPod cluster
description:
  - Stores decisions of operators in Systems Manager Parameter Store, in one parameter for each decision. Runs on other machines
    and in containers then respect these decisions. For example, a drained login node stays drained, and an offboarded user stays
    removed.
  - Each record contains its owner and date, and the fields of O(value).
  - If a parameter among the records is not a valid record, the module reports it with its path.
  - The module fails if the invalid record is about an offboarded user, an adopted resource or a rollout, because ignoring the
    record would revert a decision. Remove the record with O(state=absent).
  - If the invalid record is about a drained or repaired node, RV(hyperpod_findings) contains a note. An invalid record about a
    drained node remains effective if its name is an instance ID.
options:
  cluster_arn:
    description:
      - ARN of the cluster. The Region must match the ARN.
    type: str
    required: true
  state:
    description:
      - State of the record.
    type: str
    choices:
      present: The record exists with O(value). A record that already has this value keeps its owner and date.
      absent: The record does not exist.
      query: Nothing is changed. All records of the cluster are returned.
    default: present
  kind:
    description:
      - Kind of decision. Required unless O(state=query).
    type: str
    choices:
      drained: A login node accepts no logins. O(name) is its instance ID.
      offboarded: A user has no access any more. O(name) is the name of the user.
      adopted: This collection manages an existing resource. O(name) is the role of the resource.
      repaired: A node was rebooted or replaced because it was unfit. O(name) is its instance ID.
      rollout: The cluster waits for its wave of a rollout. O(name) is V(hold).
  name:
    description:
      - Name of the record within its kind. It is an instance ID with O(kind=drained) and O(kind=repaired), a user name with
        O(kind=offboarded), V(balancer) or V(host_keys) with O(kind=adopted), and V(hold) with O(kind=rollout).
      - With O(state=absent), the name of any parameter is allowed, so that invalid records can be removed.
      - Required unless O(state=query).
    type: str
  value:
    description:
      - Fields of the record. Together with owner and date, they have at most 4,096 characters as JSON.
    type: dict
    default: {}
  owner:
    description:
      - Name of the person who decided, for display. The default is C(USER@HOST) of this run.
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
- name: Read the records of a cluster
  mlfleet.hyperpod.cluster_record:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: query
  register: decided

- name: Record that a login node accepts no logins
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
  description: All records of the cluster, by kind and name. In check mode, the predicted records.
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
    rollout: {}
hyperpod_findings:
  description: Invalid records and how to remove them, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
changes:
  description: The changes. In check mode, the predicted changes.
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
SETTINGS = {
    "argument_spec": SPEC,
    "required_if": [("state", state, ("kind", "name")) for state in ("present", "absent")],
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


def run(module: t.Any) -> t.NoReturn:
    run_aws(module, resource)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
