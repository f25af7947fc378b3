#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: instance_type_info
version_added: 0.1.0
short_description: Tell which accelerators, vCPUs and memory instance types have
description:
  - Returns how many GPUs, EFA devices, Neuron devices and vCPUs instances of a type have, and how much memory, as EC2 says.
  - C(amazon.aws.ec2_instance_type_info) is there from C(amazon.aws) 11.1.0 on, and this collection takes 10 as well. It asks by
    names of EC2, which HyperPod's are not, and fails for all of them where the Region lacks one.
options:
  instance_types:
    description:
      - Instance types, by HyperPod's names, such as V(ml.p5.48xlarge), or EC2's, such as V(p5.48xlarge).
    type: list
    elements: str
    required: true
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
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.accelerator_health
  - name: DescribeInstanceTypes
    description: The API reference.
    link: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html
"""

EXAMPLES = r"""
- name: What should such nodes have?
  mlfleet.hyperpod.instance_type_info:
    region: us-west-2
    instance_types: [ml.p5.48xlarge, ml.trn2.48xlarge]
  register: found

- name: Report types of which EC2 tells nothing in this Region
  ansible.builtin.debug:
    msg: "{{ found.instance_types | rejectattr('known') | map(attribute='name') }}"
"""

RETURN = r"""
instance_types:
  description: The types in the order of O(instance_types), each name once.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name, as it was given.
      type: str
      sample: ml.p5.48xlarge
    gpus:
      description:
        - GPUs of an instance. A part of one, such as C(g6f.large) has, counts as one.
        - Null where RV(instance_types[].known) is false, as all numbers here.
      type: int
      sample: 8
    gpu_name:
      description: Their model in EC2's words, which are not those of NVIDIA's driver. Empty for types without GPUs.
      type: str
      sample: H100
    gpu_memory_mib:
      description: Memory of one of them, or null for types without GPUs. The driver tells another number, most often a smaller one.
      type: int
      sample: 81920
    efa_devices:
      description:
        - EFA devices that an instance can have, of which it may be given fewer. 0 for types that take none.
        - Null where EC2 says only that the type takes some.
      type: int
      sample: 32
    neuron_devices:
      description: Devices of Trainium or Inferentia.
      type: int
      sample: 0
    vcpus:
      description: vCPUs of an instance. A node leaves fewer of them to pods.
      type: int
      sample: 192
    memory_mib:
      description: Memory of an instance. A node leaves less of it to pods.
      type: int
      sample: 2097152
    threads_per_core:
      description: Threads of each core, by default. An instance group with C(ThreadsPerCore) 1 has that part of the vCPUs.
      type: int
      sample: 2
    known:
      description: Whether EC2 has the type in the Region.
      type: bool
      sample: true
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.instance_types import InstanceTypes, read, wanted

SPEC = {"instance_types": {"type": "list", "elements": "str", "required": True}}


def tell(module: t.Any) -> dict[str, t.Any]:
    names = wanted(module.params["instance_types"])
    return read(InstanceTypes(connect(module, "ec2").client), names)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), tell)


if __name__ == "__main__":
    main()
