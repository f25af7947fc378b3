# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How the pod of a node stands. Kubelets, images and the scheduler write what stands there."""

from __future__ import annotations

from dataclasses import dataclass

from ..._core.text import printable
from ..accelerator_jobs.pods import Pod
from ..client import Object

LONGEST = 300


@dataclass(frozen=True)
class Member:
    pod: Pod
    waits: str
    """Why it has no node; empty where nobody says."""
    status: int | None
    """With which its container has ended."""

    @classmethod
    def of(cls, item: Object) -> Member:
        status = item.get("status") or {}
        scheduled = [each for each in status.get("conditions") or () if each.get("type") == "PodScheduled"]
        why = next((each.get("message") for each in scheduled if each.get("status") == "False"), "")
        ended = [(each.get("state") or {}).get("terminated") for each in status.get("containerStatuses") or ()]
        codes = [each.get("exitCode") for each in ended if each]
        code = next((each for each in codes if isinstance(each, int) and each), next(iter(codes), None))
        return cls(Pod.of(item), printable(why or "")[:LONGEST], code if isinstance(code, int) else None)

    def is_bound(self) -> bool:
        return bool(self.pod.node)

    def has_begun(self) -> bool:
        return self.pod.started or self.pod.over

    def is_over(self) -> bool:
        return self.pod.over

    @property
    def failed(self) -> bool:
        return self.pod.hopeless or self.pod.phase == "Failed"

    @property
    def trouble(self) -> str:
        """In a few words."""
        return (self.waits if not self.is_bound() else self.pod.trouble)[:LONGEST] or "nobody says why"
