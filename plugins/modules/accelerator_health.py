#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the accelerators of a node are fit for work."""

from __future__ import annotations

DOCUMENTATION = r"""
module: accelerator_health
short_description: Tell whether the accelerators of a node are fit for work, and why not
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Looks at GPUs, NVLink, Neuron devices, EFA devices and the kernel's log of the node it runs on, as
    M(mlfleet.hyperpod.accelerator_info) does, and gives a verdict. It changes nothing of the node, and starts no work on a device
    unless O(dcgm_level) asks for it.
  - What is seen of the hardware at this moment counts as long as it is there. What the kernel said (Xids, SXids) counts when it is
    of this boot and newer than the last look that found the node fit. What an application did makes no node unfit.
  - Users can write into the kernel's log, so a record there makes a node unfit only if the device shows the fault as well. If the
    device shows none, the node is to be watched, and if that can't be read, it is unknown.
  - Counters of a lifetime and corrected errors are no problem. Rates are of two looks of one boot, so the first look has none.
  - A node that was replaced has a blank disk, so it begins without the memory of its forerunner.
options:
  dcgm:
    description:
      - Whether to ask C(dcgmi diag) at O(dcgm_level), where the node has it.
    type: bool
    default: true
  dcgm_level:
    description:
      - Level of C(dcgmi diag). V(1) takes some seconds and starts no work on GPUs.
      - The others load the GPUs. V(2) takes some minutes and is ended after 15, V(3) takes a quarter of an hour and is ended
        after 45 minutes, V(4) takes up to two hours and a quarter and is ended after three hours.
      - Where a process is on a GPU, O(dcgm_held) says so, or check mode is on, it is level 1, and C(not_looked_at) says why. V(4)
        is not made on a node with MIG, which it would turn off.
      - Levels above 1 were not run on GPUs yet.
    type: int
    choices: [1, 2, 3, 4]
    default: 1
  dcgm_held:
    description:
      - Why no test may load the node now, such as a job that Slurm has on it. Empty for nothing.
    type: str
    default: ""
  dcgm_beside_jobs:
    description:
      - Whether to load the node all the same, where there are processes or O(dcgm_held) says that there are jobs.
    type: bool
    default: false
  _memory_file:
    description: Internal. Where the node remembers its looks.
    type: path
    default: /var/lib/mlfleet-hyperpod/accelerators.json
extends_documentation_fragment:
  - mlfleet.hyperpod.accelerators
  - mlfleet.hyperpod.accelerator_verdict
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
    details:
      - It remembers nothing and loads nothing then; else all is the same.
  diff_mode:
    support: none
  idempotent:
    support: full
notes:
  - NVIDIA wants many GPUs reset. HyperPod offers to reboot or to replace a node, so such a node is V(unfit-reboot), and NVIDIA's
    word stands in the evidence.
  - There is no such module upstream. HyperPod's own health monitoring does not publish which codes it acts on.
seealso:
  - module: mlfleet.hyperpod.accelerator_info
  - name: Xid errors
    description: NVIDIA's catalogue of what the driver reports.
    link: https://docs.nvidia.com/deploy/xid-errors/
"""

EXAMPLES = r"""
- name: Judge the node
  mlfleet.hyperpod.accelerator_health:
    instance_type: ml.p5.48xlarge
    expected_gpus: 8
    expected_efa_devices: 32
    expected_neuron_devices: 0
  become: true
  register: judged

- name: Stop unless the node is fit
  ansible.builtin.assert:
    that: judged.health.verdict == 'fit'

- name: Accept one GPU with fewer lanes until it is replaced
  mlfleet.hyperpod.accelerator_health:
    profile:
      waivers:
        - code: gpu-pcie-width
          part: "1650522003803"
          until: "2026-12-31"
          why: ticket 4711, replaced with the next maintenance
  become: true
"""

RETURN = r"""
health:
  description: The verdict on the node.
  returned: success
  type: dict
  contains:
    verdict:
      description:
        - V(fit), V(watch) (it works, and something is worth an eye), V(unknown) (something could not be looked at, which never
          counts as fit), V(unfit-reboot) or V(unfit-replace).
      type: str
      sample: unfit-reboot
    settles_in:
      description:
        - Seconds until what is V(unknown) since the node has just booted is judged; 0 where nothing is. Look again until then.
      type: int
      sample: 0
    problems:
      description: What was found, from the worst to the mildest.
      type: list
      elements: dict
      contains:
        code:
          description: What it is; stable.
          type: str
          sample: gpu-xid
        verdict:
          description: What it makes of the node by itself.
          type: str
          sample: unfit-reboot
        cause:
          description: V(hardware), V(fabric), V(workload), V(config) or V(service).
          type: str
          sample: hardware
        part:
          description: The part of the node.
          type: str
          sample: GPU 3 (0000:83:00.0)
        key:
          description: The same part after a reboot, by its serial number where it has one.
          type: str
          sample: 1650522003803 Xid 79
        text:
          description: What is wrong, for people.
          type: str
          sample: "GPU 3 (0000:83:00.0) reported Xid 79 (GPU has fallen off the bus): a reboot may bring it back once."
        evidence:
          description: What a tool or the kernel said.
          type: str
          sample: GPU has fallen off the bus.
        folded:
          description: What followed from it.
          type: list
          elements: str
          sample: [Xid 45, gpu-lost]
    waived:
      description: Problems that somebody accepts for now, with C(until) and C(why).
      type: list
      elements: dict
      sample: []
    gpus:
      description: All GPUs of which anybody knows, each with the worst that was found of it alone.
      type: list
      elements: dict
      sample: [{part: "GPU 0 (0000:53:00.0)", key: "1650522003800", verdict: fit}]
    versions:
      description: Versions of what a training job stands on, as far as the node tells them.
      type: dict
      sample: {driver: 570.172.08, cuda: "12.8", efa_installer: 1.43.2}
    looked_at:
      description: What was looked at.
      type: list
      elements: str
      sample: [GPUs, NVLink, EFA devices, kernel log]
    not_looked_at:
      description: What could not be looked at, C(what) and C(why).
      type: list
      elements: dict
      sample: []
    expected:
      description: The devices that there should be, null where nobody knows, and in C(source) who says so.
      type: dict
      sample: {gpus: 8, efa_devices: 32, neuron_devices: 0, source: EC2}
hyperpod_findings:
  description: The problems as findings of the collection.
  returned: success
  type: list
  elements: dict
  sample: []
"""

import time
import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import options as places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import memory, options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.judge import judge, remembered
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.look import Look
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.profile import profile
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.load import Asked
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Tools
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import read_node

SPEC: dict[str, dict[str, t.Any]] = {
    **options.SPEC,
    "dcgm": {"type": "bool", "default": True},
    "dcgm_level": {"type": "int", "choices": [1, 2, 3, 4], "default": 1},
    "dcgm_held": {"type": "str", "default": ""},
    "dcgm_beside_jobs": {"type": "bool", "default": False},
    "_memory_file": {"type": "path", "default": memory.PATH},
    **places.SPEC,
}


def read(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    where = places.places(params)
    tools = Tools(seconds=places.seconds(params), root=where.root)
    wanted, limits, path = options.wanted(params, where.sysfs), profile(params), options.memory_file(params)
    before = memory.load(path, params["instance_id"])
    look = Look(Observer(where, tools, dcgm_asked=_dcgm(module)).observe(), wanted, limits, before, time.time())
    health = judge(look)
    if not module.check_mode:
        memory.save(path, remembered(look, health))
    return result(health, look)


def _dcgm(module: t.Any) -> Asked:
    params = module.params
    if module.check_mode:
        return Asked(params["dcgm_level"] if params["dcgm"] else 0, "check mode starts no test")
    return Asked(params["dcgm_level"] if params["dcgm"] else 0, params["dcgm_held"], params["dcgm_beside_jobs"])


def main() -> None:
    read_node(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), read)


if __name__ == "__main__":
    main()
