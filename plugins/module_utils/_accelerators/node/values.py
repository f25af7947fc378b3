# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Single values as NVIDIA's tools write them. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

NOTHING = ("", "n/a", "not supported", "requested functionality has been deprecated")
"""Not present: the GPU has no such thing, or the driver does not report it any more."""
BROKEN = ("unknown error", "gpu is lost", "gpu requires reset", "err!", "not found", "insufficient permissions")
"""The driver could not read it. What is on neither list is a value for who knows it, and could not be read for all others."""
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_ADDRESS = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})(?:\.([0-7]))?", re.IGNORECASE)
DAMAGED_ROM = re.compile(r"infoROM is corrupted at gpu ([0-9a-fA-F:.]+)")
"""The driver's words, in the kernel's log and beside a tool's answer."""
DAMAGED_ROM_STATUS = 14
"""Exit status of nvidia-smi for a damaged infoROM (NVML_ERROR_CORRUPTED_INFOROM). Its document is complete nevertheless."""
_YES, _NO = ("yes", "enabled", "active", "true"), ("no", "disabled", "not active", "false")


def known(text: str | None) -> str | None:
    """The words, unless they say that there are none or that they could not be read."""
    words = (text or "").strip()
    return None if is_absent(words) or is_broken(words) else words


def is_absent(text: str | None) -> bool:
    """There is no such element, or it says that there is no value."""
    return _bare(text or "") in NOTHING


def is_broken(text: str | None) -> bool:
    return _bare(text or "").startswith(BROKEN)


def _bare(text: str) -> str:
    """Some tools put what is no value into brackets."""
    return text.strip().strip("[]").lower()


def number(text: str | None) -> int | None:
    """Of ``27 C``, ``16x``, ``81920 MiB`` or ``142.33 W``, without its fraction."""
    match = _NUMBER.match(known(text) or "")
    return int(float(match.group())) if match else None


def yes(text: str | None) -> bool | None:
    words = (known(text) or "").lower()
    return True if words in _YES else False if words in _NO else None


def address(text: str | None) -> str:
    """A PCI address as sysfs has it, ``0000:9b:00.0``, of what the kernel's log or a tool writes; empty if it is none."""
    match = _ADDRESS.fullmatch((text or "").strip())
    if match is None:
        return ""
    domain, bus, device, function = match.groups()
    return f"{int(domain or '0', 16):04x}:{int(bus, 16):02x}:{int(device, 16):02x}.{function or '0'}"


def counts(pairs: t.Iterable[tuple[str, str | None]]) -> dict[str, int]:
    """Those that are numbers."""
    found = ((name, number(text)) for name, text in pairs)
    return {name: value for name, value in found if value is not None}
