# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of modules that assess the accelerators of a node."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  instance_type:
    description:
      - Instance type of the node, such as V(ml.p5.48xlarge). The type determines which devices are expected. Default is the
        name that the node's firmware reports.
    type: str
    default: ''
  instance_id:
    description: Instance ID of the node. If a different instance recorded history on this disk, that history is ignored.
    type: str
    default: ''
  expected_gpus:
    description:
      - Number of GPUs of the instance type, as EC2 C(DescribeInstanceTypes) returns it. If O(expected_gpus),
        O(expected_efa_devices) and O(expected_neuron_devices) are not set, a built-in table of common types is used.
    type: int
  expected_efa_devices:
    description: Number of EFA devices of the instance type.
    type: int
  expected_neuron_devices:
    description: Number of Neuron devices of the instance type.
    type: int
  profile:
    description: Thresholds of the verdict. A threshold that is not set keeps its default.
    type: dict
    suboptions:
      settle_seconds:
        description: Seconds after boot during which a missing device is reported as unknown, not as a problem. Default 300.
        type: int
      hung_seconds:
        description: Number of seconds. If a call to the driver does not return within this time, the node is unfit. Default 600.
        type: int
      repeat_days:
        description:
          - Number of days. If a fault also occurred in an earlier boot within these days, the fault makes the verdict worse.
            Default 30.
        type: int
      held_back_percent:
        description:
          - Percentage of the time between two checks. A GPU is reported if the hardware throttles it under load for at least this
            percentage. Default 10.
        type: int
      efa_errors:
        description:
          - Number of errors that one counter of an EFA device may add between two checks. Up to one error per second is always
            accepted. Default 100.
        type: int
      crc_per_second:
        description: Number of CRC errors per second, summed over all NVLinks of a GPU, from which the errors are reported.
          Default 100.
        type: int
      pages_retired:
        description: Maximum number of pages that a GPU without row remapping may have retired for double-bit errors. Default 15.
        type: int
      locked_memory_gib:
        description:
          - Memory in GiB that jobs must be able to lock on nodes with EFA. The limit of the service that starts jobs is checked.
            Default 16.
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
              - Key of the problem, RV(mlfleet.hyperpod.accelerator_health#module:health.problems[].key), such as a GPU's serial
                number. By default, the waiver covers all problems with the code.
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
