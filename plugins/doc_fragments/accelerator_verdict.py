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
      - Instance type of the node, such as V(ml.p5.48xlarge). It determines which devices are expected. By default, the name that
        the node's firmware reports.
    type: str
    default: ''
  instance_id:
    description: Instance ID of the node. History that another instance recorded on this disk is ignored.
    type: str
    default: ''
  expected_gpus:
    description:
      - Number of GPUs of the type, as EC2 C(DescribeInstanceTypes) returns it. If none of the three expected counts is set, a
        built-in table of common types is used.
    type: int
  expected_efa_devices:
    description: Number of EFA devices of the type.
    type: int
  expected_neuron_devices:
    description: Number of Neuron devices of the type.
    type: int
  profile:
    description: Thresholds that replace the defaults.
    type: dict
    suboptions:
      settle_seconds:
        description: Seconds after boot during which a missing device is unknown and not a problem. Default 300.
        type: int
      hung_seconds:
        description: Seconds after which a hanging call into the driver makes the node unfit. Default 600.
        type: int
      repeat_days:
        description: Days during which a fault that an earlier boot also had makes the verdict worse. Default 30.
        type: int
      held_back_percent:
        description: Percentage of the time between two checks that the hardware may throttle a GPU under load. Default 10.
        type: int
      efa_errors:
        description: Errors of one counter of an EFA device between two checks, if they exceed one a second. Default 100.
        type: int
      crc_per_second:
        description: CRC errors a second, summed over all NVLinks of a GPU. Default 100.
        type: int
      pages_retired:
        description: Pages that a GPU without row remapping may have retired for double-bit errors. Default 15.
        type: int
      locked_memory_gib:
        description: GiB that the service that starts jobs must let them lock on nodes with EFA. Default 16.
        type: int
      waivers:
        description: Findings that are accepted until a date.
        type: list
        elements: dict
        suboptions:
          code:
            description: Code of the finding.
            type: str
            required: true
          part:
            description:
              - RV(mlfleet.hyperpod.accelerator_health#module:health.problems[].key) of the problem, such as a GPU's serial
                number. Without it, the waiver covers all problems with that code.
            type: str
            default: ''
          until:
            description: Last day of the waiver, in UTC, such as V(2026-12-31).
            type: str
            required: true
          why:
            description: Reason for the waiver.
            type: str
            required: true
"""
