#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Slurm controller keeps on its own disk, over an update that blanks it."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_state
version_added: 0.1.0
short_description: Save what a Slurm controller keeps on its own disk, and put it back on a blank one
author:
  - mlfleet (@mlfleet)
description:
  - New software from AWS blanks the disk of a controller, and with it the queue of Slurm and, on HyperPod's image, the database
    of its accounting. This module saves both on a shared file system before, and puts them back afterwards.
  - Jobs must not run meanwhile. A blank C(slurmctld) ends each job that it doesn't know as soon as the job's node calls. Jobs that
    wait in the queue are kept, with their numbers.
  - Saves the folder C(StateSaveLocation) of slurmctld unless it lies on a shared file system, and the database of C(slurmdbd) where
    both run on this node. What lies elsewhere stays there.
  - No other collection has it.
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
      - What is wanted.
    type: str
    choices:
      saved: Slurm is stopped, and its state is saved. It stays stopped, since what it did from here on would be lost.
      restored: No saved state waits. On a blank disk it is put back; on the disk that gave it Slurm is started again, and what was
        saved is dropped. Does nothing where nothing waits, and nothing while the file system does not answer.
    required: true
  folder:
    description:
      - Folder for this cluster on a shared file system. Root's alone, and so must be the folders between it and the mount point.
      - Without it nothing waits. The state that was put back last is kept there in C(put-back).
    type: str
    required: true
  timeout:
    description:
      - Seconds for the database to be written or read, and for Slurm to answer afterwards, from V(1) to V(86400).
    type: int
    default: 1800
requirements:
  - Slurm and systemd on the node
  - C(mariadb-dump) or C(mysqldump), and the client of the database, where it has one
  - Root can write to the shared file system, and can log in to the database by its socket
seealso:
  - module: mlfleet.hyperpod.slurm_nodes
  - module: mlfleet.hyperpod.cluster_software
"""

EXAMPLES = r"""
- name: Before the controller's group gets new software
  mlfleet.hyperpod.slurm_state:
    state: saved
    folder: /fsx/.hyperpod_slurm_state/ml
  become: true

- name: After it
  mlfleet.hyperpod.slurm_state:
    state: restored
    folder: /fsx/.hyperpod_slurm_state/ml
  become: true
"""

RETURN = r"""
slurm_state:
  description: What there is; in check mode as it would be.
  returned: success
  type: dict
  contains:
    waiting:
      description: When the state was saved that waits to be put back, in UTC; empty where none waits.
      type: str
    unseen:
      description: Why nobody knows with O(state=restored) whether one waits, for example since the file system hangs; else empty.
      type: str
  sample:
    waiting: "2026-11-24T01:02:03Z"
    unseen: ""
changes:
  description: What was changed, or would be in check mode.
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
