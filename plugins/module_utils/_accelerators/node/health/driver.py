# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds problems of the driver and its tools. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from ..model import KernelEvent
from . import strangers, witness
from .look import Look
from .problem import CONFIG, HARDWARE, REBOOT, REPLACE, UNKNOWN, Problem
from .xid_verdicts import DRIVER_STUCK

_INTO_THE_DRIVER = ("nvidia-smi", "neuron-ls", "neuron-monitor")
"""Tools that call into the driver. Other tools query a service or read files."""
_NOT_LOADED = ("couldn't communicate with the NVIDIA driver", "Driver Not Loaded")
_MISMATCH = "Driver/library version mismatch"
_NO_DEVICES = "No devices were found"


def problems(look: Look) -> t.Iterator[Problem]:
    for tool in _INTO_THE_DRIVER:
        if tool in look.state.hung:
            yield _hung(look, tool, look.now - look.state.hung[tool])
    refusal = look.state.refusal
    if any(words in refusal for words in _NOT_LOADED):
        text = "The NVIDIA driver is not loaded. The driver may not be built for this kernel."
        yield Problem("driver-not-loaded", look.once_settled(REBOOT), CONFIG, text, evidence=refusal)
    elif _MISMATCH in refusal:
        text = "The NVIDIA libraries and the loaded driver have different versions. Reboot the node when it is idle."
        yield Problem("driver-mismatch", REBOOT, CONFIG, text, evidence=refusal)
    elif _NO_DEVICES in refusal and any(each.kind == "gpu" for each in look.state.pci):
        text = "The driver finds none of the GPUs that the kernel lists."
        evidence = "; ".join(words for words in (refusal, look.uninitialized()) if words)
        yield Problem("gpu-missing", look.once_settled(REBOOT), HARDWARE, text, evidence=evidence, again=REPLACE)


def _counts(look: Look, event: KernelEvent) -> bool:
    return strangers.is_own(look, event) and not witness.hint(look, event)


def _hung(look: Look, tool: str, seconds: float) -> Problem:
    """The driver may only be busy, for example with a large reset. After a long time or certain Xids, it will not recover."""
    stuck = any(each.kind == "xid" and each.code in DRIVER_STUCK and _counts(look, each) for each in look.state.log.events)
    verdict = REBOOT if stuck or seconds >= look.profile.hung_seconds else UNKNOWN
    text = f"{tool} has been hanging in the driver for {seconds / 60:.0f} min."
    return Problem("driver-hangs", verdict, HARDWARE, text, tool, tool)
