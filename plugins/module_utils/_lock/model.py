# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The lock that allows one writer for each cluster.

Parameter Store can create a parameter only if it does not exist, but it cannot compare the value before an overwrite. A lock
is therefore a series of generations, ``.../lock/1``, ``.../lock/2``. The run that creates the next generation acquires the
lock. The holder is the highest generation that is neither released nor expired. The highest generation is never deleted, so
numbers only increase.

Times come from the control nodes' clocks. AWS refuses a request if the sender's clock is more than five minutes
off, which limits the error.
"""

from __future__ import annotations

import datetime
import json
import typing as t
from dataclasses import dataclass, replace

from .._core.arn import ClusterArn
from .._core.failure import Refused
from .._core.times import moment_of

_FIELDS = ("owner", "token", "host", "place", "pid", "started", "acquired", "expires", "released")


@dataclass(frozen=True)
class Desired:
    """The options of ``cluster_lock``, after validation."""

    arn: ClusterArn
    state: str
    token: str | None
    """Identity of the run, if known."""
    owner: str | None
    ttl: int
    force: bool
    generation: int | None


def lock_path(cluster_id: str) -> str:
    return f"/mlfleet/hyperpod/{cluster_id}/lock"


@dataclass(frozen=True)
class Claim:
    """The value of a lock's parameter: the owner of the lock, the run, and the expiry."""

    owner: str
    token: str
    host: str
    place: str
    pid: int
    started: int
    acquired: str
    expires: str
    released: bool = False

    @classmethod
    def from_json(cls, name: str, text: str) -> Claim:
        """Parse the value of parameter ``name``.

        :raises Refused: if the value is not a claim. The message names the parameter, which is never overwritten.
        """
        try:
            data = json.loads(text)
            claim = cls(**{key: data[key] for key in _FIELDS})
            moment_of(claim.expires)
        except (ValueError, KeyError, TypeError) as error:
            raise Refused(f"Parameter {name} is not a lock of this collection. Check the parameter and delete it.") from error
        return claim

    def to_json(self) -> str:
        return json.dumps(self.to_result(), sort_keys=True)

    def to_result(self) -> dict[str, t.Any]:
        return {key: getattr(self, key) for key in _FIELDS}

    def expired(self, now: datetime.datetime) -> bool:
        return moment_of(self.expires) <= now


@dataclass(frozen=True)
class Locks:
    """All generations of a cluster's lock, as they were at ``now``."""

    path: str
    now: datetime.datetime
    generations: tuple[tuple[int, Claim], ...] = ()
    gone: frozenset[int] = frozenset()
    """Generations whose run has certainly ended."""

    @property
    def top(self) -> int:
        return max((number for number, _claim in self.generations), default=0)

    @property
    def holder(self) -> tuple[int, Claim] | None:
        """The highest generation that is neither released nor expired. Its run may have ended."""
        live = [each for each in self.generations if not each[1].released and not each[1].expired(self.now)]
        return max(live, key=lambda each: each[0], default=None)

    def held_by(self, token: str) -> bool:
        return self.holder is not None and self.holder[1].token == token

    def with_claim(self, number: int, claim: Claim) -> Locks:
        others = tuple(each for each in self.generations if each[0] != number)
        return replace(self, generations=(*others, (number, claim)))
