# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the EFA devices that the kernel and libfabric list, and the kernel's counters. Standard library only, Python 3.9 syntax.

Other RDMA devices, such as the ConnectX cards of p6 nodes, are ignored. A device is recognized by its vendor, not by its name.
"""

from __future__ import annotations

import contextlib
import os
import re

from . import pci
from .model import Counts, EfaDevice

_DOMAIN = re.compile(r"^\s*domain:\s*(\S+)", re.MULTILINE)
_KIND = re.compile(r"-(rdm|dgrm)$")
_PROVIDER = re.compile(r"^\s*provider:\s*(\S+)", re.MULTILINE)
_NONE = re.compile(r"^fi_getinfo: (?:-61\b|.*No data available)", re.MULTILINE)
"""Matches the error ENODATA of ``fi_info``, which means that there are no devices. Older releases print only the error's number."""
_EFA = re.compile(r"1d0f:efa[0-9a-f]")


def devices(sysfs: str) -> tuple[EfaDevice, ...]:
    folder = f"{sysfs}/class/infiniband"
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return ()
    return tuple(_device(f"{folder}/{name}", name) for name in names if _EFA.fullmatch(pci.ids(f"{folder}/{name}/device")))


def domains(text: str, status: int) -> tuple[str, ...] | None:
    """The devices in the output of ``fi_info -p efa``, which lists each device several times, by fabric and endpoint type.

    None if the output neither lists devices nor states that there are none.
    """
    if status != 0:
        return () if _NONE.search(text) else None
    return tuple(sorted({_KIND.sub("", name) for name in _DOMAIN.findall(text)})) if "efa" in _PROVIDER.findall(text) else None


def _device(folder: str, name: str) -> EfaDevice:
    with contextlib.suppress(OSError):
        address = os.path.basename(os.readlink(f"{folder}/device"))
        return _with(folder, name, address)
    return _with(folder, name, "")


def _with(folder: str, name: str, address: str) -> EfaDevice:
    return EfaDevice(
        name=name,
        pci=address,
        device=pci.ids(f"{folder}/device"),
        driver=pci.driver(f"{folder}/device"),
        state=pci.word(f"{folder}/ports/1/state").rpartition(":")[2].strip(),
        port_counters=_counters(f"{folder}/ports/1/hw_counters"),
        counters=_counters(f"{folder}/hw_counters"),
    )


def _counters(folder: str) -> Counts:
    """The counters without ``lifespan``, the time for which the kernel caches counters. Drivers before 2.17 have fewer counters."""
    try:
        names = sorted(set(os.listdir(folder)) - {"lifespan"})
    except FileNotFoundError:
        return {}
    words = ((name, pci.word(f"{folder}/{name}")) for name in names)
    return {name: int(word) for name, word in words if word.isdecimal()}
