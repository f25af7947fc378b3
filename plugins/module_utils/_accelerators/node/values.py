# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses single values of NVIDIA's tools. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

NOTHING = ("", "n/a", "not supported", "requested functionality has been deprecated")
"""Texts that a tool prints if there is no value, because the GPU does not have it or the driver no longer reports it."""
BROKEN = ("unknown error", "gpu is lost", "gpu requires reset", "err!", "not found", "insufficient permissions")
"""Beginnings of texts that a tool prints if the driver could not read the value. Any other text is a value, which the caller may
not recognize.
"""
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_ADDRESS = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})(?:\.([0-7]))?", re.IGNORECASE)
DAMAGED_ROM = re.compile(r"infoROM is corrupted at gpu ([0-9a-fA-F:.]+)")
"""The driver's message, in the kernel's log and around a tool's output."""
DAMAGED_ROM_STATUS = 14
"""The exit status of nvidia-smi for a damaged infoROM (NVML_ERROR_CORRUPTED_INFOROM). The document is still complete."""
_YES, _NO = ("yes", "enabled", "active", "true"), ("no", "disabled", "not active", "false")


def known(text: str | None) -> str | None:
    """The text, unless it means that there is no value or that it could not be read."""
    words = (text or "").strip()
    return None if is_absent(words) or is_broken(words) else words


def is_absent(text: str | None) -> bool:
    """Whether the element is missing, or its text means that there is no value."""
    return _bare(text or "") in NOTHING


def is_broken(text: str | None) -> bool:
    return _bare(text or "").startswith(BROKEN)


def _bare(text: str) -> str:
    """The text without the brackets that some tools put around it if there is no value."""
    return text.strip().strip("[]").lower()


def number(text: str | None) -> int | None:
    """The integer part of ``27 C``, ``16x``, ``81920 MiB`` or ``142.33 W``."""
    match = _NUMBER.match(known(text) or "")
    return int(float(match.group())) if match else None


def yes(text: str | None) -> bool | None:
    words = (known(text) or "").lower()
    return True if words in _YES else False if words in _NO else None


def address(text: str | None) -> str:
    """A PCI address in the format of sysfs, ``0000:9b:00.0``, from the kernel's log or a tool; empty if it is invalid."""
    match = _ADDRESS.fullmatch((text or "").strip())
    if match is None:
        return ""
    domain, bus, device, function = match.groups()
    return f"{int(domain or '0', 16):04x}:{int(bus, 16):02x}:{int(device, 16):02x}.{function or '0'}"


def counts(pairs: t.Iterable[tuple[str, str | None]]) -> dict[str, int]:
    """The values that are numbers."""
    found = ((name, number(text)) for name, text in pairs)
    return {name: value for name, value in found if value is not None}
