#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""List the accelerators of a node, with drivers and libraries."""

from __future__ import annotations

DOCUMENTATION = r"""
module: accelerator_info
short_description: List the accelerators of a node, with drivers and libraries
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Reads the GPUs, NVLink, Neuron devices and EFA devices of the node on which it runs, with drivers, libraries, kernel modules,
    limits and huge pages. It returns only facts, no verdict.
  - Each tool has a time limit. If a tool hangs in the driver, the module stops waiting at this limit, and starts the tool again
    only after it has ended. RV(accelerators.hung) lists the tools that hang.
  - RV(accelerators.unseen) lists what could not be read. A value that no tool reported is null. A null value indicates neither a
    healthy nor a faulty device.
extends_documentation_fragment:
  - mlfleet.hyperpod.accelerators
  - mlfleet.hyperpod.attributes.info
notes:
  - The module runs C(nvidia-smi), C(neuron-ls), C(neuron-monitor), C(fi_info), C(nv-fabricmanager), C(systemctl) and
    C(journalctl), or C(dmesg) instead of C(journalctl). It runs each tool only on a node that has the devices for it. None of
    these tools starts work on a GPU.
  - The module requires root, because C(nvidia-smi) may create device files and because only root can read the limits of services.
  - No other collection has such a module. C(nvidia-smi) hangs when its driver hangs, and its output format depends on the driver.
    This module reads the formats of drivers 515 to 595.
"""

EXAMPLES = r"""
- name: Get the accelerators of the node
  mlfleet.hyperpod.accelerator_info:
  become: true
  register: found

- name: Show GPUs that the kernel lists, but the driver does not
  ansible.builtin.debug:
    msg: "{{ found.accelerators.pci_devices | selectattr('kind', 'equalto', 'gpu') | map(attribute='address')
      | difference(found.accelerators.gpus | map(attribute='pci')) }}"
"""

RETURN = r"""
accelerators:
  description: Accelerators of the node.
  returned: success
  type: dict
  contains:
    boot_id:
      description: ID that the kernel gave this boot.
      type: str
      sample: 5f1c8a52-6d0e-4f0f-9d43-2b1c1f5d0a11
    uptime_seconds:
      description: Seconds since the boot. Devices may appear some minutes after a boot.
      type: int
      sample: 86400
    driver:
      description: NVIDIA driver.
      type: dict
      contains:
        version:
          description: Version of the driver. Empty if there is no driver.
          type: str
          sample: 570.172.08
        kind:
          description: Kind of the driver's kernel module, V(open) or V(proprietary).
          type: str
          sample: open
        cuda:
          description: Newest CUDA version that the driver supports.
          type: str
          sample: "12.8"
        attached_gpus:
          description: Number of GPUs that the driver reports.
          type: int
          sample: 8
        remarks:
          description: Other output of C(nvidia-smi), such as a warning about an infoROM.
          type: list
          elements: str
          sample: []
    lost_gpus:
      description: GPUs that the driver can't reach, each with the driver's message, by PCI address.
      type: dict
      sample: {"0000:9b:00.0": GPU is lost. Reboot the system to recover this GPU}
    gpus:
      description: GPUs that the driver reports.
      type: list
      elements: dict
      contains:
        pci:
          description: PCI address.
          type: str
          sample: "0000:9b:00.0"
        uuid:
          description: UUID.
          type: str
          sample: GPU-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9
        serial:
          description: Serial number.
          type: str
          sample: "1650522003820"
        name:
          description: Product name.
          type: str
          sample: NVIDIA H100 80GB HBM3
        architecture:
          description: Architecture.
          type: str
          sample: Hopper
        module_id:
          description: Position of the GPU on the board.
          type: str
          sample: "4"
        mig:
          description: Whether MIG is enabled.
          type: bool
          sample: false
        persistence:
          description: Whether the driver stays loaded without clients. A running C(nvidia-persistenced) has the same effect.
          type: bool
          sample: true
        recovery_action:
          description: Action that the driver recommends, V(None) for none. Drivers before 570 do not report it.
          type: str
          sample: None
        reset_required:
          description: Whether the GPU needs a reset. Drivers since version 570 report this in
            RV(accelerators.gpus[].recovery_action) instead.
          type: bool
          sample: false
        link:
          description: PCIe link, with the current C(generation) and C(width), and C(max_generation) and C(max_width) of the GPU.
          type: dict
          sample: {generation: 5, width: 16, max_generation: 5, max_width: 16}
        memory:
          description:
            - C(enabled) is whether ECC is on. C(volatile) counts errors since the driver was loaded. C(aggregate) counts errors
              over the lifetime of the GPU. The other keys are C(sram_threshold_exceeded), C(repair_pending) and C(unrepairable).
            - C(rows) describes remapped rows, with C(correctable), C(uncorrectable), C(pending) and C(failed). Its key C(spare)
              is null, or the number of memory banks for each level of remaining spare rows. GPUs of the Turing generation and
              older have C(pages_retired) and C(page_pending) instead.
          type: dict
          sample:
            enabled: true
            volatile: {dram_correctable: 0, dram_uncorrectable: 0, sram_correctable: 0, sram_uncorrectable: 0}
            aggregate: {dram_correctable: 0, dram_uncorrectable: 0, sram_correctable: 0, sram_uncorrectable: 0}
            sram_threshold_exceeded: false
            repair_pending: null
            unrepairable: null
            rows:
              correctable: 0
              uncorrectable: 0
              pending: false
              failed: false
              spare: {max: 640, high: 0, partial: 0, low: 0, none: 0}
            pages_retired: null
            page_pending: null
        fabric:
          description: State in the NVLink fabric, with C(state), C(status) and C(health). Null if the GPU has no fabric.
          type: dict
          sample: {state: Completed, status: Success, health: {bandwidth: Full}}
        held_back:
          description: Current reasons for reduced clocks.
          type: list
          elements: str
          sample: [gpu_idle]
        not_held_back:
          description: Reasons for reduced clocks that the driver reports as inactive.
          type: list
          elements: str
          sample: [hw_slowdown, hw_thermal_slowdown]
        held_back_us:
          description: Microseconds of reduced clocks since the driver was loaded, by reason. Drivers before 570 do not report
            this.
          type: dict
          sample: {hw_thermal_slowdown: 0, sw_power_cap: 0}
        temperature:
          description: Temperature in degrees Celsius.
          type: int
          sample: 34
        margin:
          description: Degrees below the temperature limit (Hopper and newer).
          type: int
          sample: 51
        utilization:
          description: Current utilization in percent.
          type: int
          sample: 0
        processes:
          description: Number of processes that use the GPU. Null if C(nvidia-smi) does not list them.
          type: int
          sample: 0
        broken:
          description: Fields that the driver could not read, with the driver's text for each.
          type: dict
          sample: {}
        unread:
          description:
            - Values that exist but could not be read. Each key is the path of the value in the output of C(nvidia-smi -q -x), and
              each value is the text at that place. Values that do not exist are null, and are not listed here.
          type: dict
          sample: {}
        nvlinks:
          description:
            - NVLinks of the GPU, with C(link), C(gigabytes_per_second) and C(errors) by counter. C(gigabytes_per_second) is null
              if the link is not up. A link is left out if the tool reports neither its speed nor that it is inactive.
          type: list
          elements: dict
          sample: [{link: 0, gigabytes_per_second: 26.562, errors: {replay_errors: 0}}]
    neuron_devices:
      description:
        - Neuron devices, with C(index), C(pci), C(cores), C(cores_of_one), C(memory) in bytes, C(processes), and C(errors) by
          counter. C(cores) is the number of logical cores. C(cores_of_one) is the number of physical cores in a logical core.
          Numbers that could not be read are null.
      type: list
      elements: dict
      sample: []
    efa_devices:
      description:
        - EFA devices, with C(name), C(pci), C(device), C(driver), C(state) of the port, C(port_counters) and C(counters).
      type: list
      elements: dict
      sample:
        - name: rdmap79s0
          pci: "0000:4f:00.0"
          device: 1d0f:efa2
          driver: efa
          state: ACTIVE
          port_counters: {rx_drops: 0}
          counters: {cmds_err: 0}
    efa_domains:
      description: EFA devices that libfabric offers. Null if the node does not have C(fi_info), or if the output of this tool
        could not be read.
      type: list
      elements: str
      sample: [rdmap79s0]
    pci_devices:
      description:
        - Accelerators, NVSwitches and EFA devices that the kernel found, with or without a driver. The keys are C(address),
          C(kind), C(device), C(driver), C(link) and C(answers).
        - C(kind) is V(gpu), V(nvswitch), V(efa) or V(neuron). C(answers) is true if the configuration space of the device
          contains anything other than ones, and null if it could not be read.
      type: list
      elements: dict
      sample:
        - address: "0000:9b:00.0"
          kind: gpu
          device: 10de:2330
          driver: nvidia
          link: {generation: 5, width: 16, max_generation: 5, max_width: 16}
          answers: true
    kernel_events:
      description:
        - Kernel messages about accelerators in this boot. The keys are C(kind), C(code), C(pci), C(device), C(at) in seconds
          since the boot, C(process), C(pid), C(detail) and C(hint).
        - C(kind) is V(xid), V(sxid), V(gone), V(inforom), V(driver), V(neuron), V(efa), or V(torn) for the message of an Xid with
          a line break in it. C(hint) is true for a line of C(dmesg), because the line may be a part of another message.
        - Programs of users can write into the kernel log. This list contains every line in the format of a driver's message, even
          if the node does not have the device or the device does not show the fault.
        - An Xid also has C(name) and the recommendations of different sources, which can contradict each other. C(nvidia) and
          C(nvidia_later) are the immediate and the diagnostic action in NVIDIA's catalog. C(eks_repair) is the reaction of EKS
          node auto repair, and C(eks_agent) the reaction of the EKS node monitoring agent.
      type: list
      elements: dict
      sample:
        - kind: xid
          code: 79
          pci: "0000:9b:00.0"
          device: ""
          at: 81234.5
          process: python3
          pid: "4711"
          detail: GPU has fallen off the bus.
          hint: false
          name: GPU has fallen off the bus
          nvidia: RESTART_BM
          nvidia_later: CONTACT_SUPPORT
          eks_repair: Replace
          eks_agent: fatal
    kernel_log_complete:
      description:
        - Whether the module read all driver messages of this boot. False, for example, if the kernel dropped lines of the driver,
          or if the journal has more than the 20000 lines that the module reads.
      type: bool
      sample: true
    software:
      description: Installed versions of C(driver), C(efa_installer), C(libfabric), C(ofi_nccl), C(nccl) and C(fabric_manager),
        and the C(driver_kind).
      type: dict
      sample: {driver: 570.172.08, driver_kind: open, efa_installer: 1.43.2, libfabric: 2.1.0amzn5.0}
    services:
      description: States of C(nvidia-fabricmanager) and C(nvidia-persistenced), as systemd reports them.
      type: dict
      sample: {nvidia-fabricmanager: active, nvidia-persistenced: active}
    kernel_modules:
      description: Loaded kernel modules for accelerators, with their versions.
      type: dict
      sample: {efa: 2.17.2g, nvidia: 570.172.08}
    limits:
      description:
        - Limits of the services that start jobs (slurmd, containerd, dockerd). These can differ from the limits of a login
          session. The keys are C(service), C(pid), C(locked_memory) in bytes and C(open_files). Null means unlimited.
      type: list
      elements: dict
      sample: [{service: slurmd, pid: 812, locked_memory: null, open_files: 131072}]
    huge_pages:
      description: Huge pages, with C(size_kib), C(total) and C(free).
      type: list
      elements: dict
      sample: [{size_kib: 2048, total: 5128, free: 5128}]
    unseen:
      description: What could not be checked (C(what)), and the reason (C(why)).
      type: list
      elements: dict
      sample: [{what: GPUs, why: "nvidia-smi -q -x: the document is incomplete"}]
    hung:
      description: Tools that hang, with their start times in UTC.
      type: dict
      sample: {nvidia-smi: "2026-10-04T09:55:00Z"}
    children_seconds:
      description: Processor time that the tools used, in seconds.
      type: float
      sample: 1.4
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Tools
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import read_node


def read(module: t.Any) -> dict[str, t.Any]:
    places = options.places(module.params)
    tools = Tools(seconds=options.seconds(module.params), root=places.root)
    return {"accelerators": result(Observer(places, tools).observe())}


def main() -> None:
    read_node(AnsibleModule(argument_spec=options.SPEC, supports_check_mode=True), read)


if __name__ == "__main__":
    main()
