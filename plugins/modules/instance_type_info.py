#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: instance_type_info
version_added: 0.1.0
short_description: Get accelerators, vCPUs and memory of instance types
description:
  - Returns the number of GPUs, EFA devices, Neuron devices and vCPUs of instance types, and their memory, as EC2 reports them.
  - C(amazon.aws.ec2_instance_type_info) does not support the type names of HyperPod, and fails for all types if the Region lacks
    one of them. It also requires C(amazon.aws) 11.1.0, but this collection supports C(amazon.aws) 10 as well.
options:
  instance_types:
    description:
      - Instance types, with their names in HyperPod, such as V(ml.p5.48xlarge), or in EC2, such as V(p5.48xlarge).
    type: list
    elements: str
    required: true
  zones:
    description:
      - Whether to return the Availability Zones that offer the instance types.
    type: bool
    default: false
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(ec2:DescribeInstanceTypes)."
  - With O(zones=true), the caller also needs the permission C(ec2:DescribeInstanceTypeOfferings).
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.accelerator_health
  - name: DescribeInstanceTypes
    description: The API reference.
    link: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html
"""

EXAMPLES = r"""
- name: Get the devices that nodes of two types must have
  mlfleet.hyperpod.instance_type_info:
    region: us-west-2
    instance_types: [ml.p5.48xlarge, ml.trn2.48xlarge]
  register: found

- name: Show instance types that EC2 does not have in this Region
  ansible.builtin.debug:
    msg: "{{ found.instance_types | rejectattr('known') | map(attribute='name') }}"
"""

RETURN = r"""
instance_types:
  description: The instance types, in the order of O(instance_types), without duplicates.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the instance type, as in O(instance_types).
      type: str
      sample: ml.p5.48xlarge
    gpus:
      description:
        - Number of GPUs. A fraction of a GPU, as in C(g6f.large), counts as one GPU.
        - All numbers are null if RV(instance_types[].known) is false.
      type: int
      sample: 8
    gpu_name:
      description: Name of the GPU model in EC2, which differs from the name in NVIDIA's driver. Empty for types without GPUs.
      type: str
      sample: H100
    gpu_memory_mib:
      description: Memory of one GPU. Null for types without GPUs. The driver reports a different number, which is usually lower.
      type: int
      sample: 81920
    efa_devices:
      description:
        - Maximum number of EFA devices. An instance may have fewer. V(0) for types without EFA.
        - Null if EC2 reports only that the type supports EFA, without a number.
      type: int
      sample: 32
    neuron_devices:
      description: Number of Trainium or Inferentia devices.
      type: int
      sample: 0
    vcpus:
      description: Number of vCPUs of an instance. Fewer are available to Pods.
      type: int
      sample: 192
    memory_mib:
      description: Memory of an instance. Less is available to Pods.
      type: int
      sample: 2097152
    threads_per_core:
      description:
        - Default number of threads of each core. For an instance group with C(ThreadsPerCore) 1, divide
          RV(instance_types[].vcpus) by this number.
      type: int
      sample: 2
    gpu_manufacturer:
      description: Manufacturer of the GPUs in EC2, such as V(NVIDIA). Empty for types without GPUs.
      type: str
      sample: NVIDIA
    architecture:
      description: Architecture of the processor in EC2, V(x86_64) or V(arm64). Empty if EC2 reports another one.
      type: str
      sample: x86_64
    zones:
      description: Availability Zones that offer the type. Null without O(zones=true).
      type: list
      elements: str
      sample: [us-west-2a, us-west-2b]
    known:
      description: Whether EC2 has the instance type in the Region.
      type: bool
      sample: true
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.instance_types import InstanceTypes, read, wanted

SPEC: dict[str, dict[str, t.Any]] = {
    "instance_types": {"type": "list", "elements": "str", "required": True},
    "zones": {"type": "bool", "default": False},
}


def instance_types(module: t.Any) -> dict[str, t.Any]:
    names = wanted(module.params["instance_types"])
    return read(InstanceTypes(connect(module, "ec2").client), names, zones=module.params["zones"])


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), instance_types)


if __name__ == "__main__":
    main()
