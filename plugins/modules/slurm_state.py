#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Save the local state of a Slurm controller before a software update, and restore it."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_state
version_added: 0.1.0
short_description: Save the local state of a Slurm controller, and restore it on a blank disk
author:
  - mlfleet (@mlfleet)
description:
  - A software update of AWS blanks the disk of a controller, including the Slurm queue and, with HyperPod's image, the accounting
    database. This module saves both to a shared file system before the update, and restores them afterwards.
  - No jobs may run during the update. A C(slurmctld) without its state ends each unknown job as soon as the node of the job
    connects. Jobs that wait in the queue are kept, with their IDs.
  - Saves the folder C(StateSaveLocation) of slurmctld unless it is on a shared file system, and the database of C(slurmdbd) if
    both run on this node. State that is stored elsewhere is not changed.
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
      - Action of the module.
    type: str
    choices:
      saved: Slurm is stopped and its state is saved. Slurm stays stopped, because later changes would be lost.
      restored: >-
        A saved state is restored on a blank disk. On the disk from which it was saved, Slurm is started again, and the saved
        state is dropped. If there is no saved state, or if the file system does not answer, nothing is changed.
    required: true
  folder:
    description:
      - Folder for this cluster on a shared file system. It and the folders between it and the mount point must belong to root,
        and only root may write to them.
      - If it does not exist, there is no saved state. The state that was restored last is kept there in C(put-back).
    type: str
    required: true
  timeout:
    description:
      - Seconds to write or read the database, and to wait for Slurm afterwards, V(1) to V(86400).
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
- name: Save the state before a software update of the controller's group
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
  description: The saved state. In check mode, as it would be.
  returned: success
  type: dict
  contains:
    waiting:
      description: Time, in UTC, of a saved state that is not restored yet, or an empty string.
      type: str
    unseen:
      description:
        - With O(state=restored), the reason why it is unknown whether there is a saved state, for example a hanging file system.
          Otherwise empty.
      type: str
  sample:
    waiting: "2026-11-24T01:02:03Z"
    unseen: ""
changes:
  description: Changes that were made, or would be made in check mode.
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
