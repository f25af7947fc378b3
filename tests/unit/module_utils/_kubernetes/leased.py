# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Lease of another run, and an API server in memory that has Leases besides what another one has."""

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds, moment_of

from .._training.job.trained import LEASE, NAMESPACE, Trained

OTHER, OURS = "training-old of alice@host", "run-0a1b2c3d of bob@host"
RENEWED, EXPIRED = "2026-11-29T02:59:00Z", "2026-11-29T02:58:00Z"
"""Times at which a Lease was renewed that is still held, or has expired, at the world's time."""
HELD = (
    f"Another verification ({OTHER}) holds Lease {NAMESPACE}/mlfleet-training since 2026-11-29T02:00:00Z. "
    "Wait until it has ended; if it was killed, its Lease expires at 2026-11-29T03:01:00Z."
)


def held(world: Trained, renewed: str = RENEWED, holder: str = OTHER) -> None:
    spec = {"holderIdentity": holder, "leaseDurationSeconds": 120, "renewTime": renewed}
    meta = {"name": "mlfleet-training", "uid": "x", "resourceVersion": "0", "creationTimestamp": "2026-11-29T02:00:00Z"}
    world.there[LEASE] = {"metadata": meta, "spec": spec}


def holder_of(world: Trained) -> str:
    """The holder of the Lease; empty if there is no Lease."""
    return str(world.there.get(LEASE, {}).get("spec", {}).get("holderIdentity", ""))


class Leased:
    """``leases`` answers requests for Leases, and ``world`` all others."""

    def __init__(self, world: t.Any) -> None:
        self.world = world
        self.leases = Trained()

    def answer(self, method: str, target: str, body: dict[str, t.Any] | None) -> tuple[int, t.Any]:
        return t.cast("tuple[int, t.Any]", (self.leases if "/leases" in target else self.world).answer(method, target, body))


class Time:
    """A process's clock. The API server's clock advances with it."""

    def __init__(self, world: Trained) -> None:
        self.world, self.now = world, 7000.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.world.now = iso_seconds(moment_of(self.world.now) + datetime.timedelta(seconds=seconds))
