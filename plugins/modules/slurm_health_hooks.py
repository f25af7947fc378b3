#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configures Slurm to check the accelerators of its nodes."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_health_hooks
version_added: 0.1.0
short_description: Configure Slurm to check accelerators periodically and before jobs
author:
  - mlfleet (@mlfleet)
description:
  - Installs a program on the node that checks accelerators as M(mlfleet.hyperpod.accelerator_health) does, but in less than 10
    seconds and without C(dcgmi). With O(controller=true), the module also configures Slurm to run this program.
  - Slurm runs the program periodically as C(HealthCheckProgram). The program drains its Slurm node if the hardware needs a reboot
    or a replacement, and resumes the node when the node is fit again. The reason of the drain begins with C(mlfleet.hyperpod:).
  - The program changes nothing on a node that was drained in a different way or that has a different reason. As
    C(HealthCheckProgram), it always ends with exit status 0.
  - Slurm runs the program before a job as C(Prolog). If a periodic check in the last 5 minutes found that the node needs a reboot
    or a replacement, this result counts. Otherwise the program checks GPUs and Xids for up to 3 seconds. It fails only if the
    node needs a reboot or a replacement. Slurm then drains the node and holds the job.
  - Neither the periodic check nor the prolog drains more than one in five nodes of a partition, or more than one node of a
    partition with fewer than five nodes. Further unfit nodes continue to accept jobs, and their system logs contain a message. If
    Slurm does not return the number of drained nodes, the prolog does not stop a job for a fault that only the kernel log shows.
  - Some results do not drain a node. These are a device that could not be checked in time, a missing tool, and a problem of the
    node's configuration, such as its driver.
  - The module does not change other lines in C(slurm.conf). If HyperPod's own scripts run on a controller node, they delete all
    lines with C(Prolog) and write their own. Run this module again in that case.
options:
  state:
    description:
      - Whether the program is installed. V(absent) removes the lines from C(slurm.conf) first, and then everything else.
    type: str
    choices: [present, absent]
    default: present
  health_check:
    description:
      - Whether the program is Slurm's C(HealthCheckProgram). Slurm supports only one such program. If Slurm already has a
        different one, the module fails and changes nothing.
    type: bool
    default: true
  prolog:
    description:
      - Whether Slurm runs the program before each job, in addition to other prologs.
      - C(slurmctld) sends the prolog to all nodes, including replaced nodes with blank disks. Such a node has no program yet, so
        it accepts jobs without a check until this module has run on it.
      - A prolog requires Slurm 23.11 or newer with C(enable_configless). If there are other prologs, it requires Slurm 24.05 or
        newer, because older releases use only the last of several C(Prolog) lines.
    type: bool
    default: false
  interval:
    description:
      - Seconds between two checks of a node, V(60) to V(3600). Slurm spreads the checks of all nodes over this interval.
    type: int
    default: 240
  controller:
    description:
      - Whether C(slurmctld) uses the C(slurm.conf) of this node. If so, the module adds its lines and calls C(scontrol
        reconfigure) if they changed. If Slurm refuses the lines, the module restores the file.
    type: bool
    default: false
  folder:
    description:
      - Folder of the program. The folder must be the same on all nodes.
    type: path
    default: /var/lib/mlfleet-hyperpod
extends_documentation_fragment:
  - mlfleet.hyperpod.accelerator_verdict
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
requirements:
  - Slurm's commands on the node
notes:
  - If HyperPod repairs a drained node itself, HyperPod sets a different reason. The program does not change that reason.
  - The first output of C(neuron-monitor) may take longer than Slurm can wait. In this case, the program still drains a node with
    Neuron devices because of missing devices, but it does not resume the node.
seealso:
  - module: mlfleet.hyperpod.accelerator_health
  - module: mlfleet.hyperpod.slurm_nodes
"""

EXAMPLES = r"""
- name: Install the program on compute nodes
  mlfleet.hyperpod.slurm_health_hooks:
    prolog: true
    instance_type: ml.p5.48xlarge
  become: true

- name: Configure the controller nodes after the compute nodes
  mlfleet.hyperpod.slurm_health_hooks:
    prolog: true
    controller: true
  become: true

- name: Remove the program from the controller nodes before the compute nodes
  mlfleet.hyperpod.slurm_health_hooks:
    state: absent
    controller: true
  become: true
"""

RETURN = r"""
slurm_health_hooks:
  description: State of the program and of Slurm. In check mode, the predicted state.
  returned: success
  type: dict
  contains:
    program:
      description: Path of the program. Empty if it is not installed.
      type: str
    slurm_conf:
      description: The C(slurm.conf) that C(slurmctld) uses. Empty without O(controller=true).
      type: str
    health_check:
      description: Whether the program is Slurm's C(HealthCheckProgram). Null without O(controller=true).
      type: bool
    prolog:
      description: Whether Slurm runs the program before each job. Null without O(controller=true).
      type: bool
  sample:
    program: /var/lib/mlfleet-hyperpod/slurm-health-check
    slurm_conf: /opt/slurm/etc/slurm.conf
    health_check: true
    prolog: false
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
"""

import sys
import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import options as verdict
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks import options, payload
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.apply import apply
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node

SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "health_check": {"type": "bool", "default": True},
    "prolog": {"type": "bool", "default": False},
    "interval": {"type": "int", "default": 240},
    "controller": {"type": "bool", "default": False},
    "folder": {"type": "path", "default": "/var/lib/mlfleet-hyperpod"},
    **verdict.SPEC,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, payload.archive(sys.executable or "/usr/bin/python3"))
    return Resource(
        observe=lambda: observe(desired),
        plan=lambda state: plan(desired, state),
        apply=apply,
        result=lambda state: result(desired, state),
    )


def main() -> None:
    run_node(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), resource)


if __name__ == "__main__":
    main()
