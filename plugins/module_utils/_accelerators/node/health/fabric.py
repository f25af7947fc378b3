# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds problems of NVLink, NVSwitch and the fabric manager. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from ..model import Gpu
from . import links, registration
from .gpus import of_gpu
from .look import Look, grown
from .problem import CONFIG, FABRIC, REBOOT, REPLACE, SERVICE, UNKNOWN, WATCH, Problem

MANAGER = "nvidia-fabricmanager"
_RECOVERIES = ("replay_errors", "recovery_errors", "link_recovery_failed_events", "effective_errors")
"""Effective errors (NVLink 5) were not corrected by the link itself. DCGM's health watch fails at the first such error."""
_ADDITIONAL = "symbol_errors"
_CRC = "crc_errors"


def problems(look: Look) -> t.Iterator[Problem]:
    if not links.is_switched(look):
        return
    yield from _manager(look)
    for gpu in look.gpus:
        yield from registration.problems(look, gpu)
        yield from _links(look, gpu)
        yield from _errors(look, gpu)


def down(look: Look) -> bool:
    """Whether any link of the node is down now."""
    judged = (links.links(look, gpu) for gpu in look.gpus)
    return any(each and each.down for each in judged)


def _manager(look: Look) -> t.Iterator[Problem]:
    """The fabric manager must run on boards with visible NVSwitches, in the same version as the driver."""
    state = look.state.services.get(MANAGER)
    if state is None or not any(each.kind == "nvswitch" for each in look.state.pci):
        return
    driver, manager = look.state.software.get("driver"), look.state.software.get("fabric_manager")
    differ = (
        f" Its version is {manager}, but the driver's version is {driver}; the versions must be equal."
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
            f"The fabric manager is not running.{differ}",
            MANAGER,
            MANAGER,
            f"{MANAGER}: {state}",
        )
    elif differ:
        yield Problem(
            "fabric-manager-version", WATCH, CONFIG, f"The fabric manager does not match the driver.{differ}", MANAGER, MANAGER
        )


def _links(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    """Links that are down. Unreadable links are reported for all GPUs together (``judge``)."""
    found = links.links(look, gpu)
    if found and found.down:
        verdict = look.once_settled(REBOOT) if links.are_used(look) else UNKNOWN
        text = f"has {found.up} of {found.wanted} NVLinks up."
        evidence = f"links without speed: {', '.join(map(str, found.down))}"
        yield of_gpu(look, gpu.pci, "gpu-nvlink-down", verdict, text, cause=FABRIC, evidence=evidence, again=REPLACE)


def _errors(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    """Errors between two checks. Corrected errors and bit error rates are ignored, because they are normal. Symbol errors are only
    quoted next to other errors, because no limit for them is published.
    """
    before = look.before()
    if before is None:
        return
    last, seconds = before
    counted = dict(grown(last.links.get(gpu.uuid, {}), look.counted.links.get(gpu.uuid, {})))
    found = [name for name in _RECOVERIES if name in counted]
    found += [_CRC] if counted.get(_CRC, 0) >= look.profile.crc_per_second * seconds else []
    if found:
        names = [*found, *([_ADDITIONAL] if _ADDITIONAL in counted else [])]
        evidence = ", ".join(f"{name}: {counted[name]} in {seconds:.0f} s" for name in names)
        yield of_gpu(look, gpu.pci, "gpu-nvlink-errors", WATCH, "has errors on its NVLinks.", cause=FABRIC, evidence=evidence)
