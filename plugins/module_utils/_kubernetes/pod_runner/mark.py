# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How all that a run makes for itself is marked, so that it is found again: pure, no I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..objects.model import MANAGED_BY, US

NEEDED = "mlfleet.hyperpod/needed-seconds"
"""Annotation: how long after its creation the object may be needed. Older objects are leftovers."""


@dataclass(frozen=True)
class Mark:
    label: str
    """Its key, which names the purpose."""
    run: str
    """Its value."""

    @property
    def selector(self) -> str:
        return f"{self.label}={self.run}"

    def metadata(self, name: str, *, needed: int, labels: t.Mapping[str, str] | None = None) -> dict[str, t.Any]:
        """:param needed: Seconds."""
        marked = {MANAGED_BY: US, self.label: self.run, **(labels or {})}
        return {"name": name, "labels": marked, "annotations": {NEEDED: str(needed)}}
