# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of modules that judge the accelerators of a node."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  instance_type:
    description:
      - The type of the node, such as V(ml.p5.48xlarge), for what the type should have. Without it the name counts that the machine
        gives itself.
    type: str
    default: ''
  instance_id:
    description: The node's instance ID. What another instance remembered does not count.
    type: str
    default: ''
  expected_gpus:
    description:
      - GPUs that the type has, as EC2's DescribeInstanceTypes says. Without any of these three, a table of common types counts.
    type: int
  expected_efa_devices:
    description: EFA devices that the type has.
    type: int
  expected_neuron_devices:
    description: Neuron devices that the type has.
    type: int
  profile:
    description: Thresholds, where the defaults do not do.
    type: dict
    suboptions:
      settle_seconds:
        description: Seconds after the boot in which what is missing is unknown and no problem, 300 by default.
        type: int
      hung_seconds:
        description: Seconds after which a call into the driver that does not come back makes the node unfit, 600 by default.
        type: int
      repeat_days:
        description: Days for which what an earlier boot had makes it worse, 30 by default.
        type: int
      held_back_percent:
        description: Per cent of the time between two looks in which the hardware may hold back a GPU under load, 10 by default.
        type: int
      efa_errors:
        description: Errors of one counter of an EFA device between two looks, 100 by default, if they are more than one a second.
        type: int
      crc_per_second:
        description: CRC errors a second of all NVLinks of a GPU, 100 by default.
        type: int
      pages_retired:
        description: Pages that a GPU which remaps no rows may have retired for double-bit errors, 15 by default.
        type: int
      locked_memory_gib:
        description: GiB that the service which starts jobs must let them lock on nodes with EFA, 16 by default.
        type: int
      waivers:
        description: Findings that somebody accepts for a time.
        type: list
        elements: dict
        suboptions:
          code:
            description: The code of the finding.
            type: str
            required: true
          part:
            description: The C(key) of the problem, such as a GPU's serial number. Without it, all with that code.
            type: str
            default: ''
          until:
            description: The last day on which it holds, in UTC, as V(2026-12-31).
            type: str
            required: true
          why:
            description: Why it is accepted.
            type: str
            required: true
"""
