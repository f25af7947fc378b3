# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The label and the annotation that identify the objects that a run creates. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..objects.model import MANAGED_BY, US

NEEDED = "mlfleet.hyperpod/needed-seconds"
"""The annotation with the seconds for which an object may be needed after its creation. Older objects are leftovers."""


@dataclass(frozen=True)
class Mark:
    label: str
    """The label's key, which names the purpose."""
    run: str
    """The label's value, which identifies the run."""

    @property
    def selector(self) -> str:
        return f"{self.label}={self.run}"

    def metadata(
        self, name: str, *, needed: int | None = None, labels: t.Mapping[str, str] | None = None
    ) -> dict[str, t.Any]:
        """:param needed: seconds for which the object may be needed after its creation; None if a Lease protects it."""
        marked = {MANAGED_BY: US, self.label: self.run, **(labels or {})}
        return {"name": name, "labels": marked, **({"annotations": {NEEDED: str(needed)}} if needed is not None else {})}
