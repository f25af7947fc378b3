#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one person who leaves still has in Slurm."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_user
version_added: 0.1.0
short_description: Report or cancel a person's Slurm jobs, and remove them from accounting
author:
  - mlfleet (@mlfleet)
description:
  - For a person who leaves. Lists the jobs, cancels them if told to, and removes the user from Slurm's accounting
    database where the cluster keeps one.
  - Runs on one node of the cluster, best a controller. The commands reach the active C(slurmctld) themselves.
  - What does not answer is pending and no failure.
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
      - UID of the user. Needed for jobs of somebody whom the node no longer knows by name.
      - Jobs are left alone if another account has the number on this node.
    type: int
  other_uids:
    description:
      - Other UIDs that the person had. Jobs with one of them count too, unless another account has the number now.
    type: list
    elements: int
    default: []
  jobs:
    description:
      - What to do with jobs that wait or run.
    type: str
    choices:
      report: They are listed and go on. While there are some, the user stays in accounting, which is pending.
      cancel: They are cancelled, and waited for.
    default: report
  timeout:
    description:
      - Seconds to wait for the end of cancelled jobs, from 1 to 3600. Those that are left then are pending.
    type: int
    default: 60
requirements:
  - Slurm's commands on the node
seealso:
  - module: mlfleet.hyperpod.accounts
"""

EXAMPLES = r"""
- name: What does she still run?
  mlfleet.hyperpod.slurm_user:
    name: mallory
    uid: 20003
  check_mode: true
  become: true
  register: left

- name: End it
  mlfleet.hyperpod.slurm_user:
    name: mallory
    uid: 20003
    jobs: cancel
  become: true
"""

RETURN = r"""
slurm_user:
  description: What the user has in Slurm now, or would have in check mode.
  returned: success
  type: dict
  contains:
    jobs:
      description: Jobs that wait, run, or are being cleared away.
      type: list
      elements: dict
    accounting:
      description: V(present), V(absent), V(unused) where the cluster keeps no accounting, or V(unknown).
      type: str
    accounts:
      description: Names of the user's accounts in accounting.
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
  description: What was changed, or would be in check mode.
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
  description: What was found beside changes, with the codes of C(docs/reference/findings.md).
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
