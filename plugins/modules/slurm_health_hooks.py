#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm asks nodes for the health of their accelerators."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_health_hooks
version_added: 0.1.0
short_description: Let Slurm ask for the health of accelerators, every few minutes and before jobs
author:
  - mlfleet (@mlfleet)
description:
  - Installs a program on the node that looks as M(mlfleet.hyperpod.accelerator_health) does, in less than 10 seconds and without
    C(dcgmi). With O(controller=true), also makes Slurm start it.
  - As C(HealthCheckProgram), it drains the Slurm node that it runs on if the hardware asks for a reboot or a replacement, and
    resumes it once it is fit. The reason of the drain begins with C(mlfleet.hyperpod:). Where somebody else has drained the node,
    or given it a reason, it does nothing. It always exits with 0.
  - Before a job, as C(Prolog), it goes by what the last check found, unless that is older than 5 minutes, and looks at GPUs and
    Xids for up to 3 seconds. It fails only if the node is to be rebooted or replaced. Slurm then drains the node and holds the job.
  - Neither drains more than one node in five of a partition, or one in a smaller partition. Nodes beyond that keep their jobs, and
    the node's log names them. Where Slurm does not say how many nodes are drained, a record in the kernel's log stops no job.
  - What could not be looked at in time, a tool that is missing, and what a node is set up as, such as its driver, takes no node out
    of work.
  - Lines of others in C(slurm.conf) stay as they are. HyperPod's own scripts delete all lines with C(Prolog) when they run on a
    controller, and write theirs; run this module again then.
options:
  state:
    description:
      - V(absent) removes all of it, first from C(slurm.conf).
    type: str
    choices: [present, absent]
    default: present
  health_check:
    description:
      - Whether the program is Slurm's C(HealthCheckProgram). There can be one only; with another one the module fails and changes
        nothing.
    type: bool
    default: true
  prolog:
    description:
      - Whether Slurm asks it before each job, beside other prologs.
      - C(slurmctld) sends the prolog to the nodes, so a blank replacement has it, too; it takes its jobs until this module ran
        there. This takes Slurm 23.11 with C(enable_configless), and Slurm 24.05 beside other prologs, as older releases go by the
        last of several lines.
    type: bool
    default: false
  interval:
    description:
      - Seconds between two checks of a node, from V(60) to V(3600). One node is checked after the other.
    type: int
    default: 240
  controller:
    description:
      - Whether C(slurmctld) goes by the C(slurm.conf) of this node. It gets the lines then, C(scontrol reconfigure) is called if
        they have changed, and if Slurm does not take them, the file gets its former text.
    type: bool
    default: false
  folder:
    description:
      - Where the program is. All nodes have it at the same path.
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
  - A node that is drained for what HyperPod repairs by itself gets another reason from HyperPod, which is left alone.
  - C(neuron-monitor) may take longer for its first answer than Slurm can wait. Nodes with Neuron devices are drained then for what
    is missing and for what the kernel said, and are not resumed by themselves.
seealso:
  - module: mlfleet.hyperpod.accelerator_health
  - module: mlfleet.hyperpod.slurm_nodes
"""

EXAMPLES = r"""
- name: On compute nodes
  mlfleet.hyperpod.slurm_health_hooks:
    prolog: true
    instance_type: ml.p5.48xlarge
  become: true

- name: On controllers, once the compute nodes have it
  mlfleet.hyperpod.slurm_health_hooks:
    prolog: true
    controller: true
  become: true

- name: On controllers, before the compute nodes lose it
  mlfleet.hyperpod.slurm_health_hooks:
    state: absent
    controller: true
  become: true
"""

RETURN = r"""
slurm_health_hooks:
  description: What there is; in check mode as it would be.
  returned: success
  type: dict
  contains:
    program:
      description: Path of the program; empty where it is not installed.
      type: str
    slurm_conf:
      description: The file that C(slurmctld) goes by; empty without O(controller=true).
      type: str
    health_check:
      description: Whether Slurm goes by it as C(HealthCheckProgram), null without O(controller=true).
      type: bool
    prolog:
      description: Whether Slurm asks it before each job, null without O(controller=true).
      type: bool
  sample:
    program: /var/lib/mlfleet-hyperpod/slurm-health-check
    slurm_conf: /opt/slurm/etc/slurm.conf
    health_check: true
    prolog: false
changes:
  description: What was changed, or would be in check mode.
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
