# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How a pod of a look stands: whether it has ended, and why it brought no answer."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.text import printable
from ..client import Object

OVER = ("Succeeded", "Failed")
HOPELESS = (
    *("ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"),
    *("CreateContainerConfigError", "CreateContainerError", "RunContainerError"),
)
"""Reasons for which a container waits in vain: the kubelet has tried it."""
TOO_LONG = "DeadlineExceeded"


@dataclass(frozen=True)
class Pod:
    name: str
    job: str
    """UID of its Job."""
    node: str
    phase: str
    trouble: str
    """Why its container does not run, or how it ended; empty where nobody says."""
    hopeless: bool
    started: bool

    @classmethod
    def of(cls, item: Object) -> Pod:
        meta, status = item["metadata"], item.get("status") or {}
        owners = [each["uid"] for each in meta.get("ownerReferences") or () if each.get("controller")]
        states = [each.get("state") or {} for each in status.get("containerStatuses") or ()]
        waiting = [each["waiting"] for each in states if each.get("waiting")]
        ended = [each["terminated"] for each in states if each.get("terminated")]
        return cls(
            name=meta["name"],
            job=owners[0] if owners else "",
            node=item["spec"].get("nodeName") or "",
            phase=status.get("phase", ""),
            trouble=next(filter(None, map(_trouble, (status, *ended, *waiting))), ""),
            hopeless=any(each.get("reason") in HOPELESS for each in waiting),
            started=any("running" in each or "terminated" in each for each in states),
        )

    @property
    def over(self) -> bool:
        """Nothing more comes of it."""
        return self.phase in OVER or self.hopeless

    def why(self, seconds: int) -> str:
        """It brought no answer."""
        if self.trouble.startswith(TOO_LONG):
            return f"The look did not end within {seconds} s: a tool may hang in the driver."
        trouble = f" ({self.trouble})" if self.trouble else ""
        if self.hopeless:
            return f"Its pod can't be started{trouble}. Name an image that the node can pull, with Python 3.9 or newer."
        if self.phase in OVER:
            return f"Its pod ended without an answer{trouble}."
        return f"Its pod is still {self.phase or 'unknown'} after {seconds} s{trouble}."


def _trouble(said: t.Mapping[str, t.Any]) -> str:
    words = [printable(said.get(name) or "")[:500] for name in ("reason", "message")]
    return ": ".join(filter(None, words))
