# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds problems of EFA and Neuron devices. Standard library only, Python 3.9 syntax.

Counters about the other end of a connection (retransmissions, unresponsive remotes) are no problem of this node: they rise on
all nodes that communicate with a faulty node.
"""

from __future__ import annotations

import typing as t

from ..model import EfaDevice, NeuronDevice
from ..neuron import UNCORRECTED
from .look import Look, grown
from .problem import CONFIG, HARDWARE, REBOOT, REPLACE, UNKNOWN, WATCH, Problem

_OWN = ("rx_drops", "rdma_read_wr_err", "rdma_write_wr_err", "no_completion_cmds")
UP, DOWN = "ACTIVE", ("NOP", "DOWN", "INIT", "ARMED", "ACTIVE_DEFER")
"""The states of a port, as the kernel writes them (ib_port_state_to_str)."""
_GIB = 1024**3
_STARTS_JOBS = ("slurmd", "containerd", "dockerd")
"""The services that start jobs, in order of precedence: the first one that runs on the node counts."""


def problems(look: Look) -> t.Iterator[Problem]:
    yield from _efa(look)
    yield from _efa_errors(look)
    yield from _locked_memory(look)
    yield from _neuron(look)


def _efa(look: Look) -> t.Iterator[Problem]:
    devices, wanted = look.state.efa, look.expected.efa
    if wanted is not None and len(devices) < wanted:
        text = f"{len(devices)} of {wanted} EFA devices are present (expected by {look.expected.source})."
        yield Problem("efa-missing", look.once_settled(REBOOT), HARDWARE, text, again=REPLACE)
    for each in devices:
        yield from _port(look, each)
    offered = look.state.efa_domains
    missing = sorted({each.name for each in devices} - set(offered)) if offered is not None else []
    if missing:
        text = f"libfabric offers {len(devices) - len(missing)} of {len(devices)} EFA devices."
        yield Problem("efa-not-offered", look.once_settled(WATCH), CONFIG, text, evidence=f"not in fi_info: {', '.join(missing)}")


def _port(look: Look, device: EfaDevice) -> t.Iterator[Problem]:
    name, state = device.name, device.state
    evidence = f"state: {state or 'not read'}"
    if state in DOWN:
        text = f"EFA device {name} is not up."
        yield Problem("efa-down", look.once_settled(REBOOT), HARDWARE, text, name, name, evidence, REPLACE)
    elif state != UP:
        text = f"EFA device {name} has a port in an unknown state."
        yield Problem("efa-down", UNKNOWN, HARDWARE, text, name, name, evidence)


def _efa_errors(look: Look) -> t.Iterator[Problem]:
    before = look.before()
    if before is None:
        return
    last, seconds = before
    for name, counters in look.counted.efa.items():
        counted = dict(grown(last.efa.get(name, {}), counters))
        found = [each for each in _OWN if counted.get(each, 0) > max(look.profile.efa_errors, seconds)]
        if found:
            evidence = ", ".join(f"{each}: {counted[each]} in {seconds:.0f} s" for each in found)
            yield Problem("efa-errors", WATCH, HARDWARE, f"EFA device {name} reports local errors.", name, name, evidence)


def _locked_memory(look: Look) -> t.Iterator[Problem]:
    """Check the limit of the service that starts jobs. EFA must lock memory to register it."""
    by_name = {each.service: each for each in look.state.limits}
    service = next((by_name[name] for name in _STARTS_JOBS if name in by_name), None)
    if not look.state.efa or service is None or service.locked_memory is None:
        return
    if service.locked_memory < look.profile.locked_memory_gib * _GIB:
        text = f"{service.service} allows jobs to lock only {service.locked_memory} bytes of memory, which is too little for EFA."
        yield Problem(
            "locked-memory", WATCH, CONFIG, text, service.service, service.service, f"Max locked memory: {service.locked_memory}"
        )


def _neuron(look: Look) -> t.Iterator[Problem]:
    devices = look.state.neuron
    kernel = [each for each in look.state.pci if each.kind == "neuron"]
    wanted = look.expected.neuron if look.expected.neuron is not None else len(kernel)
    unlisted = any(each.what in ("neuron-ls", "Neuron devices") for each in look.state.unseen)
    count = len(kernel) if unlisted else len(devices)
    if count < wanted:
        text = f"{count} of {wanted} Neuron devices are present."
        yield Problem("neuron-missing", look.once_settled(REBOOT), HARDWARE, text, again=REPLACE)
    for device in devices:
        yield from _uncorrected(device)


def _uncorrected(device: NeuronDevice) -> t.Iterator[Problem]:
    found = [name for name in UNCORRECTED if device.errors.get(name, 0) > 0]
    if found:
        part = f"Neuron device {device.index}"
        evidence = ", ".join(f"{name}: {device.errors[name]}" for name in found)
        yield Problem(
            "neuron-memory",
            REPLACE,
            HARDWARE,
            f"{part} has uncorrected memory errors.",
            part,
            device.pci or part,
            evidence,
        )
