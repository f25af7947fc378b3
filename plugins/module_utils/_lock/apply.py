# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Creates, overwrites and deletes the generations of a lock in Parameter Store."""

from __future__ import annotations

import dataclasses
import typing as t

from .._aws.client import Api, AwsError
from .._aws.parameters import EXISTS
from .._aws.tags import collection_tags
from .._core.arn import ClusterArn
from .._core.failure import LostRace
from .._core.plan import Step
from .._core.wait import Clock
from .model import Claim, Locks, lock_path
from .observe import Observer
from .plan import ACQUIRE

COMPONENT = "lock"


def _unsaid(sentence: str) -> None:
    """The default for ``warn``. It prints nothing, because older generations that were not deleted are harmless."""


class Applier:
    """Changes the lock of one cluster."""

    def __init__(
        self,
        ssm: Api,
        arn: ClusterArn,
        observer: Observer,
        *,
        warn: t.Callable[[str], None] = _unsaid,
        clock: Clock = Clock(),
    ) -> None:
        self._ssm = ssm
        self._parameters = observer.parameters
        self._arn = arn
        self._path = lock_path(arn.id)
        self._observer = observer
        self._warn = warn
        self._clock = clock

    def __call__(self, step: Step) -> None:
        """
        :raises LostRace: if another run acquired the lock first.
        """
        number, claim = step.arguments["number"], step.arguments["claim"]
        if step.operation == ACQUIRE:
            self._acquire(number, claim)
        else:
            self._overwrite(number, claim)

    def _acquire(self, number: int, claim: Claim) -> None:
        created = self._create(number, claim)
        seen = self._observer.once_listed(number)
        if not seen.held_by(claim.token):
            if created:
                # This run was slow. Meanwhile, other runs created later generations and deleted this one, so its name was free.
                self._overwrite(number, dataclasses.replace(claim, released=True))
            self._lose()
        self._delete_below(number, seen)

    def _create(self, number: int, claim: Claim) -> bool:
        """Create the generation. Returns False if it exists already, possibly from an earlier attempt of this call."""
        name = f"{self._path}/{number}"
        try:
            self._parameters.create(
                name, claim.to_json(), about=f"lock {name}", tags=collection_tags(self._arn, COMPONENT)
            )
        except AwsError as error:
            if error.code == "TooManyUpdates":  # other runs create the same generation now
                self._lose()
            if error.code != EXISTS:  # also returned to a retry whose first reply was lost
                raise
            return False
        return True

    def _lose(self) -> t.NoReturn:
        self._clock.sleep(0.2 + 0.8 * self._clock.jitter())
        raise LostRace

    def _overwrite(self, number: int, claim: Claim) -> None:
        name = f"{self._path}/{number}"
        self._parameters.overwrite(name, claim.to_json(), about=f"lock {name}")

    def _delete_below(self, number: int, seen: Locks) -> None:
        names = [f"{self._path}/{each}" for each, _claim in seen.generations if each < number]
        for start in range(0, len(names), 10):
            try:
                self._ssm.call("DeleteParameters", about=f"lock {self._path}", Names=names[start : start + 10])
            except AwsError as error:
                self._warn(f"Older generations of the lock were not deleted: {error}")
