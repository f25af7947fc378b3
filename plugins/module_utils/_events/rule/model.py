# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed rule."""

from __future__ import annotations

import dataclasses
import json
import typing as t
from dataclasses import dataclass, field

from ..._aws.tags import Tags

Answer = t.Mapping[str, t.Any]
TARGET_ID = "queue"
"""The ID of our target. Targets with other IDs stay unchanged."""
ENABLED = "ENABLED"
TRANSFORMING = ("Input", "InputPath", "InputTransformer")
"""Settings of a target that replace the event by another text."""


@dataclass(frozen=True)
class Target:
    """The queue that receives the events."""

    arn: str
    dead_letter_arn: str = ""
    """The queue that receives the events that EventBridge could not deliver; empty for none."""
    maximum_event_age: int | None = None
    """Seconds; None if EventBridge returns no value."""
    transformed_by: tuple[str, ...] = ()

    @classmethod
    def from_api(cls, answer: Answer) -> Target:
        return cls(
            arn=answer["Arn"],
            dead_letter_arn=(answer.get("DeadLetterConfig") or {}).get("Arn", ""),
            maximum_event_age=(answer.get("RetryPolicy") or {}).get("MaximumEventAgeInSeconds"),
            transformed_by=tuple(each for each in TRANSFORMING if answer.get(each) is not None),
        )

    @property
    def request(self) -> dict[str, t.Any]:
        return {
            "Id": TARGET_ID,
            "Arn": self.arn,
            **({"DeadLetterConfig": {"Arn": self.dead_letter_arn}} if self.dead_letter_arn else {}),
            **({"RetryPolicy": {"MaximumEventAgeInSeconds": self.maximum_event_age}} if self.maximum_event_age else {}),
        }

    def to_result(self) -> dict[str, t.Any]:
        return {
            "queue_arn": self.arn,
            "dead_letter_queue_arn": self.dead_letter_arn,
            "maximum_event_age": self.maximum_event_age,
        }


@dataclass(frozen=True)
class Desired:
    """The module's options."""

    name: str
    present: bool = True
    pattern: t.Mapping[str, t.Any] = field(default_factory=dict)
    description: str | None = None
    """None leaves the description unchanged."""
    target: Target | None = None
    """None only for a rule that will be removed."""
    tags: Tags = field(default_factory=dict)
    purge_tags: bool = True
    adopt: bool = False

    @property
    def resource(self) -> str:
        return f"event rule {self.name}"


@dataclass(frozen=True)
class Rule:
    """A rule as EventBridge returns it."""

    arn: str
    pattern: t.Any = None
    """The parsed pattern; None for a rule without one, or with one that is not JSON."""
    description: str = ""
    state: str = ENABLED
    schedule: str = ""
    managed_by: str = ""
    """The AWS service that created the rule; empty for rules of the account."""
    targets: t.Mapping[str, Target] = field(default_factory=dict)
    tags: Tags = field(default_factory=dict)

    @classmethod
    def from_api(cls, answer: Answer, targets: t.Iterable[Answer], tags: Tags) -> Rule:
        return cls(
            arn=answer["Arn"],
            pattern=_parsed(answer.get("EventPattern") or ""),
            description=answer.get("Description") or "",
            state=answer.get("State", ""),
            schedule=answer.get("ScheduleExpression") or "",
            managed_by=answer.get("ManagedBy") or "",
            targets={each["Id"]: Target.from_api(each) for each in targets},
            tags=tags,
        )

    @property
    def target(self) -> Target | None:
        return self.targets.get(TARGET_ID)


@dataclass(frozen=True)
class State:
    rule: Rule | None = None

    def having(self, **values: t.Any) -> State:
        """A copy in which these values of the rule are replaced."""
        return State(dataclasses.replace(self.rule, **values)) if self.rule else self


def _parsed(text: str) -> t.Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
