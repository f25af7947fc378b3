# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The state of a Job's Pod. Its texts come from kubelets, images and the scheduler, so they are made printable."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field

from ..._core.text import printable
from ..client import Object

OVER = ("Succeeded", "Failed")
PREEMPTION = ("PreemptionByScheduler", "PreemptionByKubeScheduler")
"""Reasons of a Pod that the scheduler deletes for a Pod with a higher priority; the second one is of Kubernetes 1.25."""
HOPELESS = (
    *("ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"),
    *("CreateContainerConfigError", "CreateContainerError", "RunContainerError"),
)
"""Reasons of a container that waits although the kubelet has tried to start it. A longer wait does not help."""
LONGEST = 500
"""The maximum length of a text, in characters."""
IMAGE = re.compile(r"(?:[a-z-]+://)?([a-z0-9][a-zA-Z0-9._:/-]{0,254}@sha256:[0-9a-f]{64})")
"""A runtime's ID of a container's image, with the digest. The ID of an image without a registry has no digest."""


@dataclass(frozen=True)
class Pod:
    name: str
    job: str
    """The UID of the Pod's Job."""
    node: str
    phase: str
    trouble: str
    """Why the Pod's container does not run, or how the container ended; empty if unknown."""
    hopeless: bool
    started: bool
    unscheduled: str = ""
    """Why the Pod has no node; empty if unknown."""
    status: int | None = None
    """The exit status of the first container that failed, otherwise of the first that ended."""
    restarts: int = 0
    """The number of restarts of the Pod's containers."""
    uid: str = ""
    reasons: tuple[str, ...] = ()
    """Why the Pod or its containers ended, also before a restart; for example ``Evicted`` and ``OOMKilled``."""
    preempted: bool = False
    """Whether the scheduler deletes the Pod for a Pod with a higher priority. Known since Kubernetes 1.26."""
    images: t.Mapping[str, str] = field(default_factory=dict)
    """The images whose digest is known, such as ``repository@sha256:...``, keyed by container."""

    @classmethod
    def of(cls, item: Object) -> Pod:
        meta, status = item["metadata"], item.get("status") or {}
        owners = [each["uid"] for each in meta.get("ownerReferences") or () if each.get("controller")]
        containers = status.get("containerStatuses") or ()
        states = [each.get("state") or {} for each in containers]
        waiting = [each["waiting"] for each in states if each.get("waiting")]
        ended = [each["terminated"] for each in states if each.get("terminated")]
        before = [each["lastState"]["terminated"] for each in containers if (each.get("lastState") or {}).get("terminated")]
        scheduled = [each for each in status.get("conditions") or () if each.get("type") == "PodScheduled"]
        statuses = [each["exitCode"] for each in ended if isinstance(each.get("exitCode"), int)]
        return cls(
            name=meta["name"],
            job=owners[0] if owners else "",
            node=item["spec"].get("nodeName") or "",
            phase=status.get("phase", ""),
            trouble=next(filter(None, map(_trouble, (status, *ended, *waiting))), ""),
            hopeless=any(each.get("reason") in HOPELESS for each in waiting),
            started=bool(before) or any("running" in each or "terminated" in each for each in states),
            unscheduled=next((_short(each.get("message")) for each in scheduled if each.get("status") == "False"), ""),
            status=next(filter(None, statuses), next(iter(statuses), None)),
            restarts=sum(filter(_is_count, (each.get("restartCount") for each in containers))),
            uid=str(meta.get("uid") or ""),
            reasons=tuple(filter(None, (_short(each.get("reason")) for each in (status, *ended, *before)))),
            preempted=any(each.get("reason") in PREEMPTION for each in status.get("conditions") or ()),
            images={_short(each.get("name")): found[1] for each in containers if (found := _image(each))},
        )

    @property
    def over(self) -> bool:
        """Whether the Pod has ended or cannot start."""
        return self.phase in OVER or self.hopeless

    @property
    def bound(self) -> bool:
        """Whether the Pod has a node."""
        return bool(self.node)

    @property
    def begun(self) -> bool:
        return self.started or self.over

    @property
    def failed(self) -> bool:
        return self.hopeless or self.phase == "Failed"


def _image(container: Object) -> re.Match[str] | None:
    return IMAGE.fullmatch(str(container.get("imageID") or ""))


def _is_count(value: t.Any) -> bool:
    return isinstance(value, int) and value > 0


def _trouble(said: t.Mapping[str, t.Any]) -> str:
    return ": ".join(filter(None, (_short(said.get(name)) for name in ("reason", "message"))))


def _short(said: t.Any) -> str:
    return printable(said or "")[:LONGEST]
