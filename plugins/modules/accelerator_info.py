#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerators of a node, and what they stand on."""

from __future__ import annotations

DOCUMENTATION = r"""
module: accelerator_info
short_description: Tell which accelerators a node has, and what they stand on
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Reads GPUs, NVLink, Neuron devices and EFA devices of the node it runs on, with drivers, libraries, kernel modules, limits
    and huge pages. Facts alone, no verdict.
  - Each tool has a deadline. One that hangs in the driver is not waited for, is not started again as long as it is there, and is
    named in RV(accelerators.hung).
  - What the node has and does not tell is named in RV(accelerators.unseen). A value that no tool told is null, neither good nor
    bad.
extends_documentation_fragment:
  - mlfleet.hyperpod.accelerators
  - mlfleet.hyperpod.attributes.info
notes:
  - Asks C(nvidia-smi), C(neuron-ls), C(neuron-monitor), C(fi_info), C(nv-fabricmanager) and C(journalctl) (else C(dmesg)), each
    only where the node has what it is about. None of them starts work on a GPU.
  - Needs root, as C(nvidia-smi) may create device files and limits of services are theirs to read.
  - There is no such module upstream. C(nvidia-smi) alone hangs with its driver, and its layout changes with it; this module reads
    the layouts of the drivers 515 to 595.
"""

EXAMPLES = r"""
- name: Get the accelerators of the node
  mlfleet.hyperpod.accelerator_info:
  become: true
  register: found

- name: Report GPUs that the kernel knows and the driver does not
  ansible.builtin.debug:
    msg: "{{ found.accelerators.pci_devices | selectattr('kind', 'equalto', 'gpu') | map(attribute='address')
      | difference(found.accelerators.gpus | map(attribute='pci')) }}"
"""

RETURN = r"""
accelerators:
  description: What was seen.
  returned: success
  type: dict
  contains:
    boot_id:
      description: The kernel's ID of this boot.
      type: str
      sample: 5f1c8a52-6d0e-4f0f-9d43-2b1c1f5d0a11
    uptime_seconds:
      description: Seconds since the boot. Devices may appear minutes after it.
      type: int
      sample: 86400
    driver:
      description: NVIDIA's driver.
      type: dict
      contains:
        version:
          description: Version; empty without one.
          type: str
          sample: 570.172.08
        kind:
          description: Of its kernel module, V(open) or V(proprietary).
          type: str
          sample: open
        cuda:
          description: The newest version of CUDA that it knows.
          type: str
          sample: "12.8"
        attached_gpus:
          description: How many GPUs it says that there are.
          type: int
          sample: 8
        remarks:
          description: What C(nvidia-smi) wrote beside its document, such as a warning about an infoROM.
          type: list
          elements: str
          sample: []
    lost_gpus:
      description: GPUs that the driver can't reach, by PCI address, with what it says of them.
      type: dict
      sample: {"0000:9b:00.0": GPU is lost. Reboot the system to recover this GPU}
    gpus:
      description: GPUs that the driver tells of.
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
          description: Name of the product.
          type: str
          sample: NVIDIA H100 80GB HBM3
        architecture:
          description: Architecture.
          type: str
          sample: Hopper
        module_id:
          description: Its place on the board.
          type: str
          sample: "4"
        mig:
          description: Whether it is split by MIG.
          type: bool
          sample: false
        persistence:
          description: Whether the driver stays loaded without clients. A running C(nvidia-persistenced) does the same.
          type: bool
          sample: true
        recovery_action:
          description: What the driver wants done, V(None) for nothing. Drivers before 570 do not say.
          type: str
          sample: None
        reset_required:
          description: Whether it needs a reset. Drivers from 570 on say it in RV(accelerators.gpus[].recovery_action).
          type: bool
          sample: false
        link:
          description: Its PCIe link, C(generation) and C(width) now, C(max_generation) and C(max_width) of the GPU.
          type: dict
          sample: {generation: 5, width: 16, max_generation: 5, max_width: 16}
        memory:
          description:
            - C(enabled) tells whether ECC is on; C(volatile) counts errors since the driver was loaded, C(aggregate) since the GPU
              was made; then C(sram_threshold_exceeded), C(repair_pending), C(unrepairable).
            - C(rows) are remapped rows, C(correctable), C(uncorrectable), C(pending), C(failed) and in C(spare) the banks
              of memory by how many of their spare rows are left, or null. GPUs of Turing and older have C(pages_retired) and
              C(page_pending).
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
          description: How it stands in the NVLink fabric, C(state), C(status) and C(health), or null without one.
          type: dict
          sample: {state: Completed, status: Success, health: {bandwidth: Full}}
        held_back:
          description: Why its clocks are down at this moment.
          type: list
          elements: str
          sample: [gpu_idle]
        not_held_back:
          description: Reasons that the driver reports and that do not hold at this moment.
          type: list
          elements: str
          sample: [hw_slowdown, hw_thermal_slowdown]
        held_back_us:
          description: Microseconds since the driver was loaded, by reason. Drivers before 570 do not say.
          type: dict
          sample: {hw_thermal_slowdown: 0, sw_power_cap: 0}
        temperature:
          description: Degrees Celsius.
          type: int
          sample: 34
        margin:
          description: Degrees below its limit (Hopper and newer).
          type: int
          sample: 51
        utilization:
          description: Percent of the time in which it worked, at this moment.
          type: int
          sample: 0
        processes:
          description: How many processes use it, null where the tool does not list them.
          type: int
          sample: 0
        broken:
          description: Fields that the driver could not read, with what it says instead.
          type: dict
          sample: {}
        unread:
          description:
            - Values that are present and could not be read, by their path in the answer of C(nvidia-smi -q -x), with what stands
              there. A value that is not present is null and not listed here.
          type: dict
          sample: {}
        nvlinks:
          description:
            - Its NVLinks, C(link), C(gigabytes_per_second) (null for one that is not up) and C(errors) by counter. A link of which
              the tool says neither a speed nor that it is inactive is left out.
          type: list
          elements: dict
          sample: [{link: 0, gigabytes_per_second: 26.562, errors: {replay_errors: 0}}]
    neuron_devices:
      description:
        - Neuron devices, C(index), C(pci), C(cores) (logical ones), C(cores_of_one) (physical cores in a logical one), C(memory) in
          bytes, C(processes), C(errors) by counter. Numbers that could not be read are null.
      type: list
      elements: dict
      sample: []
    efa_devices:
      description:
        - EFA devices, C(name), C(pci), C(device), C(driver), C(state) of the port, C(port_counters), C(counters).
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
      description: EFA devices that libfabric offers, or null if C(fi_info) is not on this node or its answer could not be read.
      type: list
      elements: str
      sample: [rdmap79s0]
    pci_devices:
      description:
        - Accelerators, NVSwitches and EFA devices that the kernel found, with or without a driver, C(address), C(kind) (V(gpu),
          V(nvswitch), V(efa) or V(neuron)), C(device), C(driver), C(link), and C(answers), whether the configuration space of the
          device reads as anything but ones (null where it could not be read).
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
        - What the kernel said of accelerators in this boot, C(kind) (V(xid), V(sxid), V(gone), V(inforom), V(driver), V(neuron),
          V(efa), or V(torn) for an Xid with a line break in it), C(code), C(pci), C(device), C(at) in seconds since the boot,
          C(process), C(pid), C(detail), and C(hint) for a line of C(dmesg), which may be a part of another record.
        - Programs of users can write into the kernel's log. Here stands what has the form of a driver's record, whether or not the
          node has the device and the device shows the fault.
        - An Xid has what the sources make of it, too, which contradict each other. C(name); C(nvidia) and C(nvidia_later), what
          NVIDIA's catalogue wants at once and to find out more; C(eks_repair) and C(eks_agent), what node auto repair and the node
          monitoring agent of EKS make of it.
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
        - Whether all of this boot's log was read, and the kernel left no lines of the driver out. Of the journal the newest 20000
          lines are read.
      type: bool
      sample: true
    software:
      description: Versions of C(driver), C(efa_installer), C(libfabric), C(ofi_nccl), C(nccl), C(fabric_manager), where they are.
      type: dict
      sample: {driver: 570.172.08, driver_kind: open, efa_installer: 1.43.2, libfabric: 2.1.0amzn5.0}
    services:
      description: States of C(nvidia-fabricmanager) and C(nvidia-persistenced), as systemd calls them.
      type: dict
      sample: {nvidia-fabricmanager: active, nvidia-persistenced: active}
    kernel_modules:
      description: Kernel modules for accelerators that are loaded, with their version.
      type: dict
      sample: {efa: 2.17.2g, nvidia: 570.172.08}
    limits:
      description:
        - Limits of services that start jobs (slurmd, containerd, dockerd), not of the session, C(service), C(pid),
          C(locked_memory) in bytes, C(open_files); null is unlimited.
      type: list
      elements: dict
      sample: [{service: slurmd, pid: 812, locked_memory: null, open_files: 131072}]
    huge_pages:
      description: Huge pages, C(size_kib), C(total), C(free).
      type: list
      elements: dict
      sample: [{size_kib: 2048, total: 5128, free: 5128}]
    unseen:
      description: What could not be looked at, C(what) and C(why).
      type: list
      elements: dict
      sample: [{what: GPUs, why: "nvidia-smi -q -x: it is no whole document"}]
    hung:
      description: Tools that do not come back, with when they were started, in UTC.
      type: dict
      sample: {nvidia-smi: "2026-10-04T09:55:00Z"}
    children_seconds:
      description: Processor time of the tools, in seconds.
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
