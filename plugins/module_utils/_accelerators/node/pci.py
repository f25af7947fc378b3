# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lists accelerators, NVSwitches and EFA devices on the PCI bus, from sysfs, which lists them even without a driver.

Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import contextlib
import os

from .model import Link, PciDevice
from .values import number

_AMAZON, _NVIDIA = "1d0f", "10de"
_NEURON = ("7064", "7065", "7066", "7067", "7164", "7264", "7364")
"""Inferentia, Trainium, Inferentia2, Trainium2."""
_ONES = b"\xff" * 4
_GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
"""Generations of PCIe, keyed by gigatransfers per second."""


def are_there(sysfs: str) -> bool:
    """Whether the bus has any of these devices. Their configuration is not read."""
    folder = f"{sysfs}/bus/pci/devices"
    return any(_kind(f"{folder}/{name}") for name in os.listdir(folder))


def devices(sysfs: str) -> tuple[PciDevice, ...]:
    folder = f"{sysfs}/bus/pci/devices"
    found = (_device(f"{folder}/{name}", name) for name in sorted(os.listdir(folder)))
    return tuple(each for each in found if each is not None)


def ids(folder: str) -> str:
    """The vendor and the device, such as ``10de:2330``, in ``folder`` of sysfs; empty without a device."""
    vendor, device = (word(f"{folder}/{name}").replace("0x", "") for name in ("vendor", "device"))
    return f"{vendor}:{device}" if vendor and device else ""


def driver(folder: str) -> str:
    with contextlib.suppress(OSError):
        return os.path.basename(os.readlink(f"{folder}/driver"))
    return ""


def word(path: str) -> str:
    """The only line of a file in sysfs; empty if there is no such file, or if the device does not answer."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as stream:
        return stream.readline().strip()
    return ""


def kind(device: str, device_class: str) -> str:
    vendor, _colon, model = device.partition(":")
    if vendor == _NVIDIA:
        return {"0302": "gpu", "0300": "gpu", "0680": "nvswitch"}.get(device_class[:4], "")
    if vendor == _AMAZON:
        return "efa" if model.startswith("efa") else "neuron" if model in _NEURON else ""
    return ""


def _device(folder: str, name: str) -> PciDevice | None:
    found = _kind(folder)
    return PciDevice(name, found, ids(folder), driver(folder), _link(folder), _answers(folder)) if found else None


def _kind(folder: str) -> str:
    return kind(ids(folder), word(f"{folder}/class").replace("0x", ""))


def _answers(folder: str) -> bool | None:
    """Whether the device answers. The configuration of a device that has fallen off the bus reads as all ones, although other
    files in sysfs still have their old values.
    """
    with contextlib.suppress(OSError), open(f"{folder}/config", "rb") as stream:
        begin = stream.read(len(_ONES))
        return begin != _ONES if len(begin) == len(_ONES) else None
    return None


def _link(folder: str) -> Link:
    width, max_width = (number(word(f"{folder}/{which}_link_width")) or None for which in ("current", "max"))
    generation, max_generation = (_generation(word(f"{folder}/{which}_link_speed")) for which in ("current", "max"))
    return Link(generation, width, max_generation, max_width)


def _generation(text: str) -> int | None:
    """:param text: such as ``16.0 GT/s PCIe``."""
    with contextlib.suppress(ValueError, IndexError):
        return _GENERATIONS.get(float(text.split(maxsplit=1)[0]))
    return None
