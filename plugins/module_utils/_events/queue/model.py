# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed queue, and the form of its attributes, which SQS accepts and returns as texts."""

from __future__ import annotations

import dataclasses
import json
import typing as t
from dataclasses import dataclass, field

from ..._aws.tags import Tags
from ..._core.plan import KNOWN_AFTER_APPLY

Answer = t.Mapping[str, str]
Policy = t.Mapping[str, t.Any]
SQS_KEY, KMS_KEY, NO_KEY = "sqs", "kms", "none"
"""How messages are encrypted: with keys that SQS manages, with a KMS key, or not at all."""
DEFAULT_RETENTION, DEFAULT_WAIT = 345600, 0
"""The defaults of SQS, in seconds."""


@dataclass(frozen=True)
class Redrive:
    """Where SQS moves a message after it was received ``most`` times without being deleted."""

    dead_letter_arn: str
    most: int

    def to_result(self) -> dict[str, t.Any]:
        return {"dead_letter_queue_arn": self.dead_letter_arn, "max_receive_count": self.most}


@dataclass(frozen=True)
class Settings:
    """Settings of a queue. In the desired settings, None leaves a setting unchanged."""

    policy: Policy | None = None
    """Empty for a queue without a policy."""
    redrive: Redrive | None = None
    """None also for an observed queue without a dead-letter queue."""
    retention: int | None = None
    receive_wait: int | None = None
    encryption: str = SQS_KEY

    @classmethod
    def from_api(cls, answer: Answer) -> Settings:
        managed = answer.get("SqsManagedSseEnabled") == "true"
        return cls(
            policy=_parsed(answer.get("Policy")),
            redrive=_redrive(_parsed(answer.get("RedrivePolicy"))),
            retention=int(answer.get("MessageRetentionPeriod", DEFAULT_RETENTION)),
            receive_wait=int(answer.get("ReceiveMessageWaitTimeSeconds", DEFAULT_WAIT)),
            encryption=KMS_KEY if answer.get("KmsMasterKeyId") else SQS_KEY if managed else NO_KEY,
        )

    def attributes(self) -> dict[str, str]:
        """The settings that are not None, in the form of the API."""
        redrive = self.redrive
        moved = {"deadLetterTargetArn": redrive.dead_letter_arn, "maxReceiveCount": redrive.most} if redrive else None
        values = {
            "Policy": None if self.policy is None else json.dumps(self.policy, sort_keys=True),
            "RedrivePolicy": None if moved is None else json.dumps(moved),
            "MessageRetentionPeriod": None if self.retention is None else str(self.retention),
            "ReceiveMessageWaitTimeSeconds": None if self.receive_wait is None else str(self.receive_wait),
            "SqsManagedSseEnabled": "true",
        }
        return {name: value for name, value in values.items() if value is not None}

    def to_result(self) -> dict[str, t.Any]:
        none = {"dead_letter_queue_arn": "", "max_receive_count": None}
        return {
            "policy": self.policy or {},
            **(self.redrive.to_result() if self.redrive else none),
            "message_retention_period": self.retention,
            "receive_wait_time": self.receive_wait,
            "encryption": self.encryption,
        }


@dataclass(frozen=True)
class Desired:
    """The module's options."""

    name: str
    present: bool = True
    settings: Settings = field(default_factory=Settings)
    tags: Tags = field(default_factory=dict)
    purge_tags: bool = True
    adopt: bool = False

    @property
    def resource(self) -> str:
        return f"queue {self.name}"


@dataclass(frozen=True)
class Queue:
    """A queue as SQS returns it."""

    url: str
    arn: str = KNOWN_AFTER_APPLY
    settings: Settings = field(default_factory=Settings)
    tags: Tags = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    queue: Queue | None = None

    def having(self, **values: t.Any) -> State:
        """A copy in which these values of the queue are replaced."""
        return State(dataclasses.replace(self.queue, **values)) if self.queue else self


def same_policy(one: Policy | None, other: Policy | None) -> bool:
    """Whether two policies allow the same. Lists have no order, and AWS may return a list with one entry as that entry."""
    return _canonical(one or {}) == _canonical(other or {})


def _canonical(value: t.Any) -> t.Any:
    if isinstance(value, t.Mapping):
        return {name: _canonical(_lower(each) if name == "Action" else each) for name, each in value.items() if name != "Id"}
    if isinstance(value, (list, tuple)):
        entries = sorted((_canonical(each) for each in value), key=lambda each: json.dumps(each, sort_keys=True))
        return entries[0] if len(entries) == 1 else entries
    return str(value)


def _lower(actions: t.Any) -> t.Any:
    """IAM compares the names of actions without regard to case."""
    return [str(each).lower() for each in ([actions] if isinstance(actions, str) else actions)]


def _parsed(text: str | None) -> dict[str, t.Any]:
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _redrive(found: Policy) -> Redrive | None:
    if "deadLetterTargetArn" not in found:
        return None
    return Redrive(str(found["deadLetterTargetArn"]), int(found.get("maxReceiveCount", 0)))
