# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The registration of a GPU with the NVLink fabric, and the fabric's health. Standard library only, Python 3.9 syntax.

Only listed values count as good. A value that is neither known to be good nor known to be bad leads to ``unknown``.
"""

from __future__ import annotations

import typing as t

from ..model import Fabric, Gpu
from ..values import is_absent, is_broken
from .gpus import of_gpu
from .links import NOT_SUPPORTED
from .look import Look
from .problem import CONFIG, FABRIC, REBOOT, REPLACE, UNKNOWN, WATCH, Problem, worst

_DONE, _GOOD = "completed", "success"
_OUTSIDE = ("not started", "in progress")
_FLAG = {"false": "", "true": REBOOT}
_HEALTH: t.Mapping[str, t.Mapping[str, str]] = {
    "summary": {"healthy": "", "limited capacity": WATCH, "unhealthy": REBOOT},
    "bandwidth": {"full": "", "degraded": REBOOT},
    **dict.fromkeys(("route_recovery_in_progress", "route_unhealthy", "access_timeout_recovery"), _FLAG),
    "partition_assigned": {"false": "", "true": ""},
}
"""The verdict of each value, keyed by the name of the flag; empty for a good value."""
_CONFIGURATION, _RIGHT = "incorrect_configuration", "none"
_HARMLESS = ("false", "none", "healthy", "full")
"""The good values of flags that are newer than this table. Other values may have any meaning."""


def is_good(look: Look, gpu: Gpu) -> bool | None:
    """Whether the registration is good; None if it is unknown, or if the board does not register its GPUs."""
    verdict = worst(each.verdict for each in problems(look, gpu))
    return None if verdict == UNKNOWN or not registers(look) else verdict not in (REBOOT, REPLACE)


def registers(look: Look) -> bool:
    """Whether the board registers its GPUs. Boards with A100 GPUs do not."""
    if look.expected.fabric is not None:
        return look.expected.fabric
    return any(gpu.fabric and gpu.fabric.state for gpu in look.gpus)


def problems(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    if not registers(look):
        return
    verdict = _registration(look, gpu)
    if verdict:
        fabric = gpu.fabric
        evidence = f"state: {fabric.state or 'N/A'}, status: {fabric.status or 'N/A'}" if fabric else "state: N/A"
        text = "is not part of the NVLink fabric." if verdict == REBOOT else "may not be part of the NVLink fabric."
        settled = look.once_settled(verdict)
        yield of_gpu(look, gpu.pci, "gpu-fabric", settled, text, cause=FABRIC, evidence=evidence, again=REPLACE)
    elif gpu.fabric:
        yield from _health(look, gpu, gpu.fabric)


def _registration(look: Look, gpu: Gpu) -> str:
    """The verdict of the node; empty if the registration is good."""
    fabric = gpu.fabric or Fabric("", "", {})
    state, status = fabric.state.lower(), fabric.status.lower()
    if state == _DONE:
        return "" if status == _GOOD else REBOOT if status else UNKNOWN
    if gpu.mig and state in ("", NOT_SUPPORTED):
        return ""
    if state in _OUTSIDE or (state == NOT_SUPPORTED and look.expected.fabric):
        return REBOOT
    return UNKNOWN


def _health(look: Look, gpu: Gpu, fabric: Fabric) -> t.Iterator[Problem]:
    reported = {name: words for name, words in fabric.health.items() if not is_absent(words)}
    bad = {name: verdict for name, verdict in ((name, _verdict(name, reported[name])) for name in reported) if verdict}
    verdict = worst(bad.values())
    named = [name for name, each in bad.items() if each == verdict]
    if named == [_CONFIGURATION] and verdict == WATCH:
        text, more = "is misconfigured for the NVLink fabric.", {"cause": CONFIG}
    else:
        text = "has a fault in the NVLink fabric." if verdict != UNKNOWN else "has an unknown state in the NVLink fabric."
        more = {"cause": FABRIC, "again": REPLACE if verdict == REBOOT else ""}
    if bad:
        evidence = ", ".join(f"{name}: {reported[name]}" for name in named)
        yield of_gpu(look, gpu.pci, "gpu-fabric-health", verdict, text, evidence=evidence, **more)


def _verdict(name: str, words: str) -> str:
    if name == _CONFIGURATION:
        return "" if words.lower() == _RIGHT else UNKNOWN if is_broken(words) else WATCH
    if name in _HEALTH:
        return _HEALTH[name].get(words.lower(), UNKNOWN)
    return "" if words.lower() in _HARMLESS else UNKNOWN
