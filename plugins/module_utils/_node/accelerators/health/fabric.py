# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""NVLink, NVSwitch and the fabric manager, on types that have them. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from ..model import Fabric, Gpu
from .gpus import of_gpu
from .look import Look, grown
from .problem import CONFIG, FABRIC, REBOOT, REPLACE, SERVICE, WATCH, Problem

MANAGER = "nvidia-fabricmanager"
_DONE, _GOOD = "completed", ("", "success")
_NONE = ("not supported", "not applicable")
_BAD_IF_TRUE = ("route_recovery_in_progress", "route_unhealthy", "access_timeout_recovery")
_RECOVERIES = ("replay_errors", "recovery_errors", "link_recovery_failed_events", "effective_errors")
"""Effective errors are those that the link's own correction has not mended (NVLink 5); DCGM's health watch fails at the first."""
_BESIDE = "symbol_errors"
_CRC = "crc_errors"


def problems(look: Look) -> t.Iterator[Problem]:
    if not is_switched(look):
        return
    yield from _manager(look)
    for gpu in look.gpus:
        if gpu.fabric:
            yield from _registered(look, gpu, gpu.fabric)
        yield from _links(look, gpu)
        yield from _errors(look, gpu)


def is_switched(look: Look) -> bool:
    """By what the type is, else by what is seen. A single GPU has no peer to link to."""
    if look.expected.links is not None:
        return look.expected.links > 0
    switches = any(each.kind == "nvswitch" for each in look.state.pci)
    return switches or any(gpu.fabric and gpu.fabric.state.lower() not in _NONE for gpu in look.gpus)


def untold(look: Look) -> list[Gpu]:
    """GPUs whose links nobody has seen, where there are some."""
    several = is_switched(look) and len(look.gpus) > 1
    return [gpu for gpu in look.gpus if _speeds(look, gpu) is None and not gpu.mig] if several else []


def down(look: Look) -> bool:
    """Whether a link of the node is down now."""
    return is_switched(look) and any(next(_links(look, gpu), None) for gpu in look.gpus)


def _manager(look: Look) -> t.Iterator[Problem]:
    """It must run on boards with NVSwitches that the node sees, and be of the driver's version."""
    state = look.state.services.get(MANAGER)
    if state is None or not any(each.kind == "nvswitch" for each in look.state.pci):
        return
    driver, manager = look.state.software.get("driver"), look.state.software.get("fabric_manager")
    differ = (
        f" Its version is {manager}, the driver's {driver}: they must be the same."
        if driver and manager and driver != manager
        else ""
    )
    if state != "active":
        verdict = look.once_settled(REBOOT)
        cause = CONFIG if differ else SERVICE
        yield Problem(
            "fabric-manager-down",
            verdict,
            cause,
            f"The fabric manager does not run.{differ}",
            MANAGER,
            MANAGER,
            f"{MANAGER}: {state}",
        )
    elif differ:
        yield Problem("fabric-manager-version", WATCH, CONFIG, f"The fabric manager fits not.{differ}", MANAGER, MANAGER)


def _registered(look: Look, gpu: Gpu, fabric: Fabric) -> t.Iterator[Problem]:
    state = fabric.state.lower()
    if state in _NONE:
        return
    evidence = f"state: {fabric.state}, status: {fabric.status}"
    if state != _DONE or fabric.status.lower() not in _GOOD:
        verdict = look.once_settled(REBOOT)
        yield of_gpu(
            look,
            gpu.pci,
            "gpu-fabric",
            verdict,
            "is not part of the NVLink fabric.",
            cause=FABRIC,
            evidence=evidence,
            again=REPLACE,
        )
        return
    bad = [name for name in _BAD_IF_TRUE if fabric.health.get(name, "").lower() == "true"]
    bad += ["bandwidth"] if fabric.health.get("bandwidth", "").lower() == "degraded" else []
    if bad:
        evidence = ", ".join(f"{name}: {fabric.health[name]}" for name in bad)
        yield of_gpu(
            look,
            gpu.pci,
            "gpu-fabric-health",
            REBOOT,
            "has a fault in the NVLink fabric.",
            cause=FABRIC,
            evidence=evidence,
            again=REPLACE,
        )
    elif fabric.health.get("incorrect_configuration", "none").lower() != "none":
        evidence = f"incorrect_configuration: {fabric.health['incorrect_configuration']}"
        yield of_gpu(
            look, gpu.pci, "gpu-fabric-health", WATCH, "is wrongly set up for the NVLink fabric.", cause=CONFIG, evidence=evidence
        )


def _links(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    speeds = _speeds(look, gpu)
    if speeds is None or gpu.mig:  # which uses no links, so that the fabric manager may switch them off
        return
    wanted = look.expected.links or max(len(each.speeds or ()) for each in look.state.nvlinks.values())
    up = sum(1 for speed in speeds.values() if speed)
    if up < wanted:
        named = ", ".join(str(link) for link in range(wanted) if not speeds.get(link))
        text, evidence = f"has {up} of {wanted} NVLinks.", f"links without speed: {named}"
        yield of_gpu(
            look, gpu.pci, "gpu-nvlink-down", look.once_settled(REBOOT), text, cause=FABRIC, evidence=evidence, again=REPLACE
        )


def _speeds(look: Look, gpu: Gpu) -> t.Mapping[int, float | None] | None:
    """None where the tool told nothing of the GPU's links."""
    links = look.state.nvlinks.get(gpu.uuid)
    return links.speeds if links else None


def _errors(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    """Between two looks of one boot. Corrected errors and bit error rates are ordinary; nobody names a limit for symbol errors."""
    before = look.before()
    if before is None:
        return
    last, seconds = before
    counted = dict(grown(last.links.get(gpu.uuid, {}), look.now_counted().links.get(gpu.uuid, {})))
    found = [name for name in _RECOVERIES if name in counted]
    found += [_CRC] if counted.get(_CRC, 0) >= look.profile.crc_per_second * seconds else []
    if found:
        told = [*found, *([_BESIDE] if _BESIDE in counted else [])]
        evidence = ", ".join(f"{name}: {counted[name]} in {seconds:.0f} s" for name in told)
        yield of_gpu(look, gpu.pci, "gpu-nvlink-errors", WATCH, "has errors on its NVLinks.", cause=FABRIC, evidence=evidence)
