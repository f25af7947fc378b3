#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Saves the local state of a Slurm controller node before a software update, and restores it."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_state
version_added: 0.1.0
short_description: Save the local state of a Slurm controller node, and restore it on a blank disk
author:
  - mlfleet (@mlfleet)
description:
  - A software update by AWS blanks the disk of a controller node. The disk contains the Slurm queue and, with HyperPod's image,
    the accounting database. This module saves both to a shared file system before the update, and restores them afterwards.
  - No jobs may run during the update, because a C(slurmctld) that starts without its state ends each running job as soon as the
    node of the job connects. Jobs that wait in the queue are saved and restored, with their IDs.
  - The module saves the folder C(StateSaveLocation) of slurmctld, unless that folder is on a shared file system. It saves the
    database of C(slurmdbd) if both slurmdbd and the database run on this node. State that is stored elsewhere is not changed.
  - No other collection has such a module.
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
  state:
    description:
      - What the module does.
    type: str
    choices:
      saved: Slurm is stopped and its state is saved. Slurm stays stopped, because changes after this point would be lost.
      restored: >-
        A saved state is restored on a blank disk. On the disk from which the state was saved, Slurm is started again, and the
        saved state is discarded. If there is no saved state, or if the file system does not answer, nothing is changed.
    required: true
  folder:
    description:
      - Folder for this cluster on a shared file system. The folder, and the folders between it and the mount point, must belong
        to root or to Slurm's C(SlurmUser), and other accounts must not be able to write to them.
      - If the folder does not exist, there is no saved state. After a restore, its subfolder C(put-back) contains the state that
        was restored last.
    type: str
    required: true
  timeout:
    description:
      - Time limit in seconds to write or read the database, and to wait for Slurm afterwards, V(1) to V(86400).
    type: int
    default: 1800
requirements:
  - Slurm and systemd on the node
  - C(mariadb-dump) or C(mysqldump), and the database client, if the node has a database
  - Root can write to the shared file system, and can log in to the database by its socket
seealso:
  - module: mlfleet.hyperpod.slurm_nodes
  - module: mlfleet.hyperpod.cluster_software
"""

EXAMPLES = r"""
- name: Save the state before a software update of the controller node's group
  mlfleet.hyperpod.slurm_state:
    state: saved
    folder: /fsx/.hyperpod_slurm_state/ml
  become: true

- name: Restore the state after the update
  mlfleet.hyperpod.slurm_state:
    state: restored
    folder: /fsx/.hyperpod_slurm_state/ml
  become: true
"""

RETURN = r"""
slurm_state:
  description: The saved state. In check mode, the predicted saved state.
  returned: success
  type: dict
  contains:
    waiting:
      description: Time in UTC at which the state that is not restored yet was saved. Empty if there is no such state.
      type: str
    unseen:
      description:
        - With O(state=restored), why it is unknown whether there is a saved state, for example because a file system hangs.
          Otherwise empty.
      type: str
  sample:
    waiting: "2026-11-24T01:02:03Z"
    unseen: ""
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.result import result

SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "choices": ["saved", "restored"], "required": True},
    "folder": {"type": "str", "required": True},
    "timeout": {"type": "int", "default": 1800},
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    return Resource(
        observe=lambda: observe(desired),
        plan=lambda state: plan(desired, state),
        apply=Applier(desired),
        result=result,
    )


def main() -> None:
    run_node(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), resource)


if __name__ == "__main__":
    main()
