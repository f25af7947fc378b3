# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads amounts in Kubernetes' notation."""

from __future__ import annotations

import re
import typing as t

_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
"""The exponent of 10 for each suffix."""
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
"""The exponent of 2 for each suffix."""
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:([eE][+-]?[0-9]+)|([a-zA-Z]*))")


def quantity(given: t.Any) -> float | None:
    """The number in ``500m``, ``2Ti`` or ``1e3``; None for an invalid amount."""
    match = _QUANTITY.fullmatch(str(given))
    suffix = (match and match[3]) or ""
    if match is None or suffix not in {**_SUFFIXES, **_BINARY}:
        return None
    number = float(match[1] + (match[2] or ""))
    return number * 2 ** _BINARY[suffix] if suffix in _BINARY else float(number * 10 ** _SUFFIXES[suffix])


def amounts(given: t.Mapping[str, t.Any] | None) -> dict[str, float]:
    read = {name: quantity(value) for name, value in (given or {}).items()}
    return {name: value for name, value in read.items() if value is not None}


def shown(name: str, value: float) -> str:
    """The amount without the resource's name: ``8``, or ``64Gi`` for memory."""
    in_bytes = name in ("memory", "ephemeral-storage", "storage") or name.startswith("hugepages-")
    return f"{value / 2**30:g}Gi" if in_bytes else f"{value:g}"


def amount(name: str, value: float) -> str:
    """The amount with the resource's name: ``8 nvidia.com/gpu``, ``64Gi of memory``."""
    number = shown(name, value)
    return f"{number} of {name}" if number.endswith("Gi") else f"{number} {name}"
