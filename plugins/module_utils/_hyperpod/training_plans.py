# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Training plans and the number of their available instances."""

from __future__ import annotations

import dataclasses
import re
import typing as t

from .._aws.client import Api, AwsError
from .._core.failure import Refused, refuse_option
from .._core.text import printable

OPERATION = "DescribeTrainingPlan"
_NAME = re.compile(r"(arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:training-plan/)?[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}")
_ALLOWED = "names or ARNs of training plans"


@dataclasses.dataclass(frozen=True)
class TrainingPlan:
    """Counts of None are unknown, which is not zero."""

    name: str
    """The name or ARN, as given."""
    status: str = ""
    total: int | None = None
    available: int | None = None
    spare: int | None = None
    why: str = ""
    """Why the plan could not be read; empty if it was read."""

    @property
    def known(self) -> bool:
        return not self.why

    @classmethod
    def from_api(cls, name: str, answer: t.Mapping[str, t.Any]) -> TrainingPlan:
        return cls(
            name=name,
            status=printable(answer["Status"]),
            total=answer.get("TotalInstanceCount"),
            available=answer.get("AvailableInstanceCount"),
            spare=answer.get("AvailableSpareInstanceCount"),
        )


def wanted(names: t.Sequence[str]) -> list[str]:
    """The names without duplicates, in the given order.

    :raises Refused: for a value that is neither a name nor an ARN of a training plan.
    """
    for name in names:
        if not _NAME.fullmatch(name):
            refuse_option("training_plans", name, _ALLOWED)
    return list(dict.fromkeys(names))


def read(api: Api, names: t.Sequence[str]) -> dict[str, t.Any]:
    return {"training_plans": [{**dataclasses.asdict(each), "known": each.known} for each in (_read(api, name) for name in names)]}


def _read(api: Api, name: str) -> TrainingPlan:
    """The plan. If it cannot be read, the other plans are still read."""
    try:
        api.require(OPERATION)
        return TrainingPlan.from_api(name, api.call(OPERATION, about=f"training plan {name}", TrainingPlanName=name))
    except (AwsError, Refused) as error:
        return TrainingPlan(name, why=printable(str(error)))
