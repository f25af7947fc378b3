#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check whether the accelerators of a node are fit for work."""

from __future__ import annotations

DOCUMENTATION = r"""
module: accelerator_health
short_description: Check whether the accelerators of a node are fit for work
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Checks the GPUs, NVLink, Neuron devices, EFA devices and kernel log of the node on which it runs, as
    M(mlfleet.hyperpod.accelerator_info) does, and returns a verdict. It changes nothing on the node, and starts no work on a
    device unless O(dcgm_level) is above V(1).
  - A hardware fault affects the verdict as long as the hardware shows the fault. A kernel message (Xid, SXid) affects the verdict
    if it is from this boot and newer than the last check that found the node fit. Faults of an application do not make a node
    unfit.
  - Users can write into the kernel log, so a kernel message makes a node unfit only if the device also shows the fault. If the
    device shows no fault, the verdict is V(watch). If the device can't be read, the verdict is V(unknown).
  - Lifetime counters and corrected errors are not problems. The module calculates rates from two checks in the same boot, so the
    first check after a boot has no rates.
  - A replaced node has a blank disk, and therefore no history of the previous instance.
options:
  dcgm:
    description:
      - Whether to run C(dcgmi diag) at O(dcgm_level) if the node has it.
    type: bool
    default: true
  dcgm_level:
    description:
      - Level of C(dcgmi diag). V(1) takes some seconds and starts no work on GPUs.
      - The other levels load the GPUs. V(2) takes some minutes and is stopped after 15 minutes. V(3) takes a quarter of an hour
        and is stopped after 45 minutes. V(4) takes up to two and a quarter hours and is stopped after three hours.
      - Level 1 runs instead of a higher level in check mode. Unless O(dcgm_beside_jobs) is set, it also runs instead if a process
        uses a GPU, if the processes of a GPU could not be listed, or if O(dcgm_held) is set. RV(health.not_looked_at) gives the
        reason.
      - On a node with MIG, level 1 runs instead of level 4, because level 4 would disable MIG.
      - Levels above 1 have not been run on GPUs yet.
    type: int
    choices: [1, 2, 3, 4]
    default: 1
  dcgm_held:
    description:
      - Why no test may load the node now, for example because a Slurm job runs on it. If empty, tests may load the node.
    type: str
    default: ""
  dcgm_beside_jobs:
    description:
      - Whether tests may load the node even if processes use its GPUs or O(dcgm_held) is set.
    type: bool
    default: false
  _memory_file:
    description: Internal. File on the node in which the module records the history of the checks.
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
      - In check mode, the module records no history and runs no load test. It does everything else as in a normal run.
  diff_mode:
    support: none
  idempotent:
    support: full
notes:
  - For many faults, NVIDIA recommends a reset of the GPU. HyperPod can only reboot or replace a node, so the verdict is then
    V(unfit-reboot), and the evidence contains NVIDIA's recommendation.
  - No other collection has such a module. HyperPod's own health monitoring does not publish the error codes that it reacts to.
seealso:
  - module: mlfleet.hyperpod.accelerator_info
  - name: Xid errors
    description: NVIDIA's catalog of the errors that the driver reports.
    link: https://docs.nvidia.com/deploy/xid-errors/
"""

EXAMPLES = r"""
- name: Check the accelerators of the node
  mlfleet.hyperpod.accelerator_health:
    instance_type: ml.p5.48xlarge
    expected_gpus: 8
    expected_efa_devices: 32
    expected_neuron_devices: 0
  become: true
  register: checked

- name: Stop unless the node is fit
  ansible.builtin.assert:
    that: checked.health.verdict == 'fit'

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
        - V(fit), V(watch), V(unknown), V(unfit-reboot) or V(unfit-replace). With V(watch), the node works but needs attention.
          With V(unknown), something could not be checked; this never counts as fit.
      type: str
      sample: unfit-reboot
    settles_in:
      description:
        - If the verdict is V(unknown) because the node has just booted, the number of seconds until all devices have a verdict.
          Run the module again after that time. Otherwise V(0).
      type: int
      sample: 0
    problems:
      description: Problems, sorted from the most to the least severe.
      type: list
      elements: dict
      contains:
        code:
          description: Stable code of the problem.
          type: str
          sample: gpu-xid
        verdict:
          description: Verdict that this problem alone causes.
          type: str
          sample: unfit-reboot
        cause:
          description: Where the problem originates, one of V(hardware), V(fabric), V(workload), V(config) and V(service).
          type: str
          sample: hardware
        part:
          description: Affected part of the node.
          type: str
          sample: GPU 3 (0000:83:00.0)
        key:
          description: Identifier that stays the same across reboots. It contains the serial number of the part, if there is one,
            and the code of an Xid.
          type: str
          sample: 1650522003803 Xid 79
        text:
          description: Description of the problem.
          type: str
          sample: "GPU 3 (0000:83:00.0) reported Xid 79 (GPU has fallen off the bus): a reboot may bring the GPU back once."
        evidence:
          description: Output of a tool or of the kernel.
          type: str
          sample: GPU has fallen off the bus.
        folded:
          description: Other symptoms of the same problem.
          type: list
          elements: str
          sample: [Xid 45, gpu-lost]
    waived:
      description: Problems that a waiver accepts, with C(until) and C(why) of the waiver.
      type: list
      elements: dict
      sample: []
    gpus:
      description: All known GPUs, each with the worst verdict of its own problems.
      type: list
      elements: dict
      sample: [{part: "GPU 0 (0000:53:00.0)", key: "1650522003800", verdict: fit}]
    versions:
      description: Versions of the software that training jobs depend on, as far as the node reports them.
      type: dict
      sample: {driver: 570.172.08, cuda: "12.8", efa_installer: 1.43.2}
    looked_at:
      description: Parts that were checked.
      type: list
      elements: str
      sample: [GPUs, NVLink, EFA devices, kernel log]
    not_looked_at:
      description: What could not be checked (C(what)), and the reason (C(why)).
      type: list
      elements: dict
      sample: []
    expected:
      description: Expected numbers of devices. A number is null if it is unknown. C(source) is the source of the numbers.
      type: dict
      sample: {gpus: 8, efa_devices: 32, neuron_devices: 0, source: EC2}
hyperpod_findings:
  description: The problems, as findings of the collection.
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
