# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The lock's generations in Parameter Store."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from .._aws import Api, AwsError
from .._plan import LostRace, Step
from .._tags import api_tags
from .lock import ACQUIRE, Claim, Locks, lock_path
from .model import ClusterArn, collection_tags
from .run_process import RunProcess

COMPONENT = "lock"


class LockStore:
    """The lock of one cluster."""

    def __init__(self, ssm: Api, arn: ClusterArn) -> None:
        self._ssm = ssm
        self._arn = arn
        self._path = lock_path(arn.id)
        self.leftovers: str | None = None
        """Why older generations could not be deleted; they do no harm."""

    def observe(self) -> Locks:
        parameters = self._ssm.pages("GetParametersByPath", "Parameters", about=f"lock {self._path}", Path=self._path)
        found = [
            (int(number), Claim.from_json(parameter["Name"], parameter["Value"]))
            for parameter in parameters
            for number in [parameter["Name"].rpartition("/")[2]]
            if number.isdigit()
        ]
        return Locks(
            path=self._path,
            now=datetime.datetime.now(datetime.timezone.utc),
            generations=tuple(sorted(found, key=lambda each: each[0])),
            gone=frozenset(number for number, claim in found if _run_ended(claim)),
        )

    def apply(self, step: Step) -> None:
        """
        :raises LostRace: if somebody else's generation turns out to be the one that counts.
        """
        number, claim = step.arguments["number"], step.arguments["claim"]
        if step.operation == ACQUIRE:
            self._acquire(number, claim)
        else:
            self._put(number, claim, Overwrite=True)

    def _acquire(self, number: int, claim: Claim) -> None:
        created = True
        try:
            self._put(number, claim, Overwrite=False, Tags=api_tags(collection_tags(self._arn, COMPONENT)))
        except AwsError as error:
            # Also the answer to the repeated request when the answer to the first one was lost.
            if error.code != "ParameterAlreadyExists":
                raise
            created = False
        seen = self.observe()
        if created:
            seen = seen.with_claim(number, claim)
        if not seen.held_by(claim.token):
            if created:
                # A slow start: others went further meanwhile, and deleted the generation that we saw as the last.
                self._put(number, dataclasses.replace(claim, released=True), Overwrite=True)
            raise LostRace
        self._delete_below(number, seen)

    def _put(self, number: int, claim: Claim, **arguments: t.Any) -> None:
        name = f"{self._path}/{number}"
        self._ssm.call(
            "PutParameter", about=f"lock {name}", Name=name, Type="String", Value=claim.to_json(), **arguments
        )

    def _delete_below(self, number: int, seen: Locks) -> None:
        names = [f"{self._path}/{each}" for each, _claim in seen.generations if each < number]
        for start in range(0, len(names), 10):
            try:
                self._ssm.call("DeleteParameters", about=f"lock {self._path}", Names=names[start : start + 10])
            except AwsError as error:
                self.leftovers = str(error)


def _run_ended(claim: Claim) -> bool:
    process = RunProcess.from_json(claim.to_result())
    return process is not None and process.is_gone()
