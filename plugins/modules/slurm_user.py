#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cancels the Slurm jobs of an offboarded user, and removes the user from accounting."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_user
version_added: 0.1.0
short_description: List or cancel the Slurm jobs of an offboarded user, and remove the user from accounting
author:
  - mlfleet (@mlfleet)
description:
  - Lists the jobs of an offboarded user, cancels them with O(jobs=cancel), and removes the user from Slurm's accounting database
    if the cluster has one.
  - The module runs on one node of the cluster, preferably a controller node. Slurm's commands connect to the active C(slurmctld)
    themselves.
  - If C(slurmctld) or the accounting database does not respond, the module does not fail. It reports the affected result as
    pending.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  name:
    description:
      - Name of the user.
    type: str
    required: true
  uid:
    description:
      - UID of the user. Required to find jobs of a user who no longer has an account on the node.
      - If a different account on this node has the UID, jobs with this UID are ignored.
    type: int
  other_uids:
    description:
      - Other UIDs that the user had. Jobs with these UIDs are included, unless a different account now has the UID.
    type: list
    elements: int
    default: []
  jobs:
    description:
      - What to do with waiting and running jobs.
    type: str
    choices:
      report: The jobs are listed and continue. While the user has jobs, the user stays in accounting, and the removal is pending.
      cancel: The jobs are cancelled, and the module waits for their end.
    default: report
  timeout:
    description:
      - Seconds to wait for the end of cancelled jobs, V(1) to V(3600). Jobs that remain after this time are pending.
    type: int
    default: 60
requirements:
  - Slurm's commands on the node
seealso:
  - module: mlfleet.hyperpod.accounts
"""

EXAMPLES = r"""
- name: List the jobs of an offboarded user
  mlfleet.hyperpod.slurm_user:
    name: mallory
    uid: 20003
  check_mode: true
  become: true
  register: left

- name: Cancel the jobs
  mlfleet.hyperpod.slurm_user:
    name: mallory
    uid: 20003
    jobs: cancel
  become: true
"""

RETURN = r"""
slurm_user:
  description: The user in Slurm. In check mode, the predicted user.
  returned: success
  type: dict
  contains:
    jobs:
      description: Jobs that wait, run or are completing.
      type: list
      elements: dict
    accounting:
      description: Whether accounting has the user, V(present) or V(absent). V(unused) if the cluster has no accounting, or
        V(unknown) if it could not be read.
      type: str
    accounts:
      description: Names of the user's accounts in the accounting database.
      type: list
      elements: str
  sample:
    jobs:
      - id: "4711"
        state: RUNNING
        partition: ml.p5.48xlarge
        nodes: ip-10-1-1-21
        name: train
    accounting: present
    accounts: [research]
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
  sample:
    - action: delete
      resource: Slurm account of mallory
      field: null
      before: {accounts: [research]}
      after: null
hyperpod_findings:
  description: Findings, with the codes of C(docs/reference/findings.md).
  returned: always
  type: list
  elements: dict
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.result import result

SPEC: dict[str, dict[str, t.Any]] = {
    "name": {"type": "str", "required": True},
    "uid": {"type": "int"},
    "other_uids": {"type": "list", "elements": "int", "default": []},
    "jobs": {"type": "str", "choices": ["report", "cancel"], "default": "report"},
    "timeout": {"type": "int", "default": 60},
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    return Resource(
        observe=lambda: observe(desired),
        plan=lambda state: plan(desired, state),
        apply=Applier(desired),
        result=lambda state: result(desired, state),
    )


def main() -> None:
    run_node(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), resource, lock=False)


if __name__ == "__main__":
    main()
