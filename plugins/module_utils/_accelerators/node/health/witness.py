# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The second witness for kernel records that would make a node unfit. Standard library only, Python 3.9 syntax.

Users can write to the kernel's log. Therefore, a record only names a cause, and the current signs of the same device decide whether
the record counts. One sign from the Xid's entry in ``ROWS`` confirms the record. The record is denied only if all these signs were
read and none is shown.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, replace

from ..model import KernelEvent
from ..values import DAMAGED_ROM_STATUS
from . import devices, links, signals, xid_verdicts
from .look import Look
from .problem import REBOOT, UNKNOWN, WATCH, at_least
from .signals import Signal
from .xid_verdicts import Judged

CONFIRMED, DENIED, UNREADABLE = "confirmed", "denied", "unreadable"
_Reading = t.Callable[[Look, str], Signal]
_LINKS: tuple[_Reading, ...] = (signals.link_down, signals.link_errors, signals.outside_fabric)
_DRIVER: tuple[_Reading, ...] = (signals.missing, signals.recovery, signals.slow_pcie)
ROWS: t.Mapping[int, tuple[_Reading, ...]] = {
    **dict.fromkeys((xid_verdicts.OFF_THE_BUS, 143), (signals.missing,)),
    **dict.fromkeys((48, 95, 140), (signals.uncorrected, signals.rows, signals.threshold, signals.reset)),
    64: (signals.rows,),
    **dict.fromkeys((xid_verdicts.NVLINK, 136), _LINKS),
    **dict.fromkeys(xid_verdicts.NVLINK_5, (*_LINKS, signals.recovery)),
    **dict.fromkeys((46, 62, 109, 119, 120, 158), (signals.stuck, signals.recovery, signals.missing)),
    54: (signals.held_by_power, signals.missing, signals.known_recovery),
    **dict.fromkeys((32, 110, 151, 167, 169, 173), _DRIVER),
    xid_verdicts.REGISTERED: (signals.recovery,),
}
"""The signs, keyed by Xid, for all Xids that are or may become worse than ``watch``."""
_EFA_COUNTERS = ("cmds_err", "no_completion_cmds")


@dataclass(frozen=True)
class Witness:
    value: str
    words: str = ""
    """The sign that confirms the record, or the values that could not be read."""


def of_xid(look: Look, pci: str, code: int) -> Witness:
    return _weighed([read(look, pci) for read in ROWS[code]])


def of_switch(look: Look) -> Witness:
    """The witness for an NVSwitch: the links and the registration of all GPUs on its board."""
    if not look.gpus or not links.is_switched(look):
        return Witness(UNREADABLE, "NVLinks")
    judged = [gpu for gpu in look.gpus if not gpu.mig]
    return _weighed([read(look, gpu.pci) for gpu in judged for read in (signals.link_down, signals.outside_fabric)])


def of_efa(look: Look, name: str) -> Witness:
    """:param name: the name of the RDMA device."""
    device = next((each for each in look.state.efa if each.name == name), None)
    if device is None:
        gone = not any(each.what == "EFA devices" for each in look.state.unseen)
        return Witness(CONFIRMED, "the RDMA device no longer exists") if gone else Witness(UNREADABLE, "EFA devices")
    now, base = look.counted.efa.get(name, {}), look.memory.baseline
    before = base.efa.get(name) if base and base.boot_id == look.state.boot_id else None
    grown = [each for each in _EFA_COUNTERS if now.get(each, 0) > (before or {}).get(each, 0)]
    known = device.state == devices.UP or device.state in devices.DOWN
    counted = set(_EFA_COUNTERS) <= set(now)
    return _weighed(
        [
            Signal(device.state != devices.UP if known else None, f"port state {device.state or 'not read'}"),
            Signal(True if grown else False if counted else None, f"{grown[0]}: {now[grown[0]]}" if grown else "counters"),
        ]
    )


def of_inforom(look: Look, pci: str) -> Witness:
    """A warning of nvidia-smi or its special exit status confirms the record. Without them, the record is not denied, because
    the infoROM is not proven to be good.

    The exit status names no GPU, so it counts unless a warning names other GPUs.
    """
    named = look.state.smi.inforom if look.state.smi else ()
    if pci in named:
        return Witness(CONFIRMED, "a warning of nvidia-smi")
    if look.state.smi_status == DAMAGED_ROM_STATUS and not named:
        return Witness(CONFIRMED, f"nvidia-smi exits with status {DAMAGED_ROM_STATUS}")
    return Witness(UNREADABLE, "nvidia-smi -q -x")


def settled(judged: Judged, witness: Witness) -> Judged:
    """The assessment of a record after its witness was read."""
    if witness.value == CONFIRMED:
        return replace(judged, confirmed_by=witness.words)
    if witness.value == DENIED:
        return replace(judged, verdict=WATCH, again="", unconfirmed="the device shows no sign of the fault")
    return replace(judged, verdict=UNKNOWN, again="", unread=witness.words)


def for_xid(look: Look, event: KernelEvent, judged: Judged, witnessed: t.Callable[[], Witness]) -> Judged:
    """The assessment of one Xid record. A line of dmesg is only a hint, whatever the GPU shows.

    :param witnessed: returns the result of ``of_xid``, cached because there may be thousands of records of one code.
    """
    worse = at_least(judged.verdict, REBOOT)
    if not worse and not judged.again:
        return judged
    why_hint = hint(look, event)
    if why_hint:
        return replace(judged, verdict=WATCH, again="", unconfirmed=why_hint if worse else "")
    found = witnessed()
    if worse:
        return settled(judged, found)
    return judged if found.value == CONFIRMED else replace(judged, again="")


def hint(look: Look, event: KernelEvent) -> str:
    """Why the record is only a hint; empty if it may count."""
    if event.hint:
        return "the record is only in a line of dmesg, which may be a part of another record"
    if any(each.kind == "neuron" for each in look.state.pci):
        return "on a node with Neuron devices, users' programs can write such records"
    return ""


def explained(judged: Judged) -> str:
    """The end of a sentence about the record."""
    if judged.unconfirmed:
        return f", but {judged.unconfirmed}. A kernel record alone does not make a node unfit."
    if judged.unread:
        return f": {judged.reason}. The signs of this fault could not be read: {judged.unread}."
    confirmed = f" Confirmed by a second witness: {judged.confirmed_by}." if judged.confirmed_by else ""
    return f": {judged.reason}.{confirmed}"


def _weighed(found: t.Sequence[Signal]) -> Witness:
    shown = [each.words for each in found if each.shown]
    if shown:
        return Witness(CONFIRMED, shown[0])
    unread = list(dict.fromkeys(each.words for each in found if each.shown is None))
    return Witness(UNREADABLE, ", ".join(unread)) if unread or not found else Witness(DENIED)
