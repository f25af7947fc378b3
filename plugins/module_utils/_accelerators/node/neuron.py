# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses ``neuron-ls`` in both of its layouts, and one document of ``neuron-monitor``.

Up to 2.33, ``neuron-ls --json-output`` prints a list. From 2.34 on, ``--output-format json`` prints an object around this list. The
names of the object's members are not published, so the member that is a list of devices counts.
Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import json
import typing as t

from .model import Counts, NeuronDevice
from .values import address

UNCORRECTED = ("mem_ecc_uncorrected", "sram_ecc_uncorrected")
_ERRORS = ("mem_ecc_corrected", "sram_ecc_corrected", *UNCORRECTED)
_DEVICE = "neuron_device"


class Unreadable(Exception):
    """The output is invalid; the message gives the reason."""


def devices(text: str, errors: t.Mapping[int, Counts] | None = None) -> tuple[NeuronDevice, ...]:
    """:param errors: the counters of ``neuron-monitor``, keyed by device index."""
    errors = errors or {}
    return tuple(sorted((_device(each, errors) for each in _listed(_document(text))), key=lambda each: each.index))


def errors(monitored: str) -> dict[int, Counts]:
    """The counters in the first document of ``neuron-monitor``, keyed by device index. Any part of it may be null or an error.

    :raises Unreadable: if the document has no counters of devices.
    """
    found = _document(monitored)
    for name in ("system_data", "neuron_hw_counters"):
        found = found.get(name) if isinstance(found, dict) else None
    counted = found.get("neuron_devices") if isinstance(found, dict) else None
    error = found.get("error") if isinstance(found, dict) else None
    if not isinstance(counted, list) or error:
        raise Unreadable(f"the output has no counters of devices{f'; error: {error}' if error else ''}")
    return {
        each["neuron_device_index"]: {name: each[name] for name in _ERRORS if _is_count(each.get(name))}
        for each in counted
        if isinstance(each, dict) and _is_count(each.get("neuron_device_index"))
    }


def uncounted(found: t.Iterable[NeuronDevice]) -> str:
    """A text with the devices that lack counters of uncorrected errors; empty if there are none."""
    missing = [str(each.index) for each in found if not set(UNCORRECTED) <= set(each.errors)]
    return f"the output has no counters of uncorrected errors of device {', '.join(missing)}" if missing else ""


def _is_count(value: t.Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _document(text: str) -> t.Any:
    try:
        return json.loads(text, strict=False)  # names of processes may contain control characters
    except (ValueError, RecursionError):
        raise Unreadable("the output is not a JSON document") from None


def _listed(document: t.Any) -> list[dict[str, t.Any]]:
    lists = [document] if isinstance(document, list) else list(document.values()) if isinstance(document, dict) else []
    for each in lists:
        if isinstance(each, list) and each and all(isinstance(one, dict) and _DEVICE in one for one in each):
            return each
    if document == []:
        return []
    raise Unreadable("the output has no list of Neuron devices")


def _device(each: dict[str, t.Any], errors: t.Mapping[int, Counts]) -> NeuronDevice:
    try:
        index, processes = int(each[_DEVICE]), len(each.get("neuron_processes") or ())
    except (OverflowError, TypeError, ValueError):
        raise Unreadable("a device has an invalid number") from None
    return NeuronDevice(
        index=index,
        pci=address(str(each.get("bdf", ""))),
        cores=_number(each.get("nc_count")),
        cores_of_one=_number(each.get("logical_neuroncore_config") or 1),
        memory=_number(each.get("memory_size")) or None,
        processes=processes,
        errors=errors.get(index, {}),
    )


def _number(value: t.Any) -> int | None:
    try:
        return int(value)
    except (OverflowError, TypeError, ValueError):
        return None
