# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The lock's generations in Parameter Store."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from .._aws.client import Api, AwsError
from .._aws.parameters import EXISTS, Parameters
from .._aws.tags import collection_tags
from .._core.arn import ClusterArn
from .._core.failure import LostRace
from .._core.plan import Step
from .._core.wait import Clock, wait_for
from .model import ACQUIRE, Claim, Locks, lock_path
from .process import RunProcess

COMPONENT = "lock"
LISTED_SECONDS = 30.0


def _utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


class LockStore:
    """The lock of one cluster."""

    def __init__(
        self,
        ssm: Api,
        arn: ClusterArn,
        *,
        now: t.Callable[[], datetime.datetime] = _utc_now,
        clock: Clock = Clock(),
    ) -> None:
        self._ssm = ssm
        self._parameters = Parameters(ssm)
        self._arn = arn
        self._path = lock_path(arn.id)
        self._about = f"lock {self._path}"
        self._now = now
        self._clock = clock
        self.leftovers: str | None = None
        """Why older generations could not be deleted; they do no harm."""

    def observe(self) -> Locks:
        return self._locks(self._parameters.below(self._path, about=self._about))

    def apply(self, step: Step) -> None:
        """
        :raises LostRace: if somebody else's generation turns out to be the one that counts.
        """
        number, claim = step.arguments["number"], step.arguments["claim"]
        if step.operation == ACQUIRE:
            self._acquire(number, claim)
        else:
            self._overwrite(number, claim)

    def _acquire(self, number: int, claim: Claim) -> None:
        created = True
        name = f"{self._path}/{number}"
        try:
            self._parameters.create(
                name, claim.to_json(), about=f"lock {name}", tags=collection_tags(self._arn, COMPONENT)
            )
        except AwsError as error:
            if error.code == "TooManyUpdates":  # others reach for the same generation, and go on doing so
                self._lose()
            if error.code != EXISTS:  # also the answer to the repeated request when that to the first one was lost
                raise
            created = False
        seen = self._look_for(number)
        if not seen.held_by(claim.token):
            if created:
                # A slow start: others went further meanwhile, and deleted the generation that we saw as the last.
                self._overwrite(number, dataclasses.replace(claim, released=True))
            self._lose()
        self._delete_below(number, seen)

    def _look_for(self, number: int) -> Locks:
        """The generations, as told by a listing that knows of this one: an older listing may lack others, too."""
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
        return self._parameters.listed(self._path, about=self._about)

    def _lose(self) -> t.NoReturn:
        self._clock.sleep(0.2 + 0.8 * self._clock.jitter())
        raise LostRace

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

    def _overwrite(self, number: int, claim: Claim) -> None:
        name = f"{self._path}/{number}"
        self._parameters.overwrite(name, claim.to_json(), about=f"lock {name}")

    def _delete_below(self, number: int, seen: Locks) -> None:
        names = [f"{self._path}/{each}" for each, _claim in seen.generations if each < number]
        for start in range(0, len(names), 10):
            try:
                self._ssm.call("DeleteParameters", about=self._about, Names=names[start : start + 10])
            except AwsError as error:
                self.leftovers = str(error)


def _run_ended(claim: Claim) -> bool:
    process = RunProcess.from_json(claim.to_result())
    return process is not None and process.is_gone()
