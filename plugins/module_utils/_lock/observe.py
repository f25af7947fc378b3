# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the generations of a lock from Parameter Store."""

from __future__ import annotations

import datetime
import typing as t

from .._aws.client import Api
from .._aws.parameters import Parameters
from .._core.arn import ClusterArn
from .._core.wait import Clock, wait_for
from .model import Claim, Locks, lock_path
from .process import RunProcess

LISTED_SECONDS = 30.0


def _utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


class Observer:
    """Reads the lock of one cluster."""

    def __init__(
        self,
        ssm: Api,
        arn: ClusterArn,
        *,
        now: t.Callable[[], datetime.datetime] = _utc_now,
        clock: Clock = Clock(),
    ) -> None:
        self.parameters = Parameters(ssm)
        """Returns its own writes even if listings are outdated. So the Applier also writes through this object."""
        self._path = lock_path(arn.id)
        self._about = f"lock {self._path}"
        self._now = now
        self._clock = clock

    def __call__(self) -> Locks:
        return self._locks(self.parameters.below(self._path, about=self._about))

    def once_listed(self, number: int) -> Locks:
        """The generations, from a listing that includes ``number`` or a later one. A listing without them is outdated."""
        return wait_for(
            lambda: self._locks({name: each["Value"] for name, each in self._listed().items()}),
            done=lambda locks: locks.top >= number,
            subject=f"lock {self._path}/{number}",
            timeout=LISTED_SECONDS,
            interval=0.25,
            state=lambda locks: "not listed",
            clock=self._clock,
        )

    def _listed(self) -> dict[str, dict[str, t.Any]]:
        return self.parameters.listed(self._path, about=self._about)

    def _locks(self, texts: t.Mapping[str, str]) -> Locks:
        found = [
            (int(number), Claim.from_json(name, text))
            for name, text in texts.items()
            for number in [name.rpartition("/")[2]]
            if number.isdigit()
        ]
        return Locks(
            path=self._path,
            now=self._now(),
            generations=tuple(sorted(found, key=lambda each: each[0])),
            gone=frozenset(number for number, claim in found if _run_ended(claim)),
        )


def _run_ended(claim: Claim) -> bool:
    process = RunProcess.from_json(claim.to_result())
    return process is not None and process.is_gone()
