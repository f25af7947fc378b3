# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired rule, and the options that are refused."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.identity import OWN_TAGS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.model import Desired, Target
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.options import desired

QUEUE, DEAD = (f"arn:aws:sqs:us-west-2:111111111111:{name}" for name in ("events", "dead"))
PATTERN = {"source": ["aws.sagemaker"]}
OPTIONS: dict[str, t.Any] = {
    "name": "events",
    "state": "present",
    "event_pattern": PATTERN,
    "description": None,
    "queue_arn": QUEUE,
    "dead_letter_queue_arn": None,
    "maximum_event_age": 86400,
    "tags": None,
    "purge_tags": True,
    "adopt": False,
}


def test_a_rule_is_built_from_its_options() -> None:
    assert desired(OPTIONS) == Desired(
        "events", pattern=PATTERN, target=Target(QUEUE, maximum_event_age=86400), tags=OWN_TAGS, purge_tags=False
    )
    more = {**OPTIONS, "dead_letter_queue_arn": DEAD, "description": "", "tags": {"a": "b"}, "adopt": True}
    found = desired(more)
    assert (found.target, found.description, found.adopt) == (Target(QUEUE, DEAD, 86400), "", True)
    assert (found.tags, found.purge_tags) == ({"a": "b", **OWN_TAGS}, True)


def test_a_removal_needs_only_the_name() -> None:
    assert desired({**OPTIONS, "state": "absent", "event_pattern": None, "queue_arn": None}).target is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "a.b"}, "name: 'a.b' is not allowed"),
        ({"event_pattern": None}, "event_pattern: None is not allowed: an empty pattern would select the events of all AWS services"),
        ({"event_pattern": {}}, "event_pattern: {} is not allowed"),
        ({"event_pattern": {"source": ["a" * 5000]}}, "at most 4096 characters"),
        ({"description": "a" * 513}, "at most 512 characters"),
        ({"queue_arn": None}, "queue_arn: missing; a rule without a target has no effect."),
        ({"queue_arn": "events"}, "queue_arn: 'events' is not allowed"),
        ({"dead_letter_queue_arn": "dead"}, "dead_letter_queue_arn: 'dead' is not allowed"),
        ({"maximum_event_age": 59}, "maximum_event_age: 59 is not allowed"),
        ({"maximum_event_age": 86401}, "maximum_event_age: 86401 is not allowed"),
    ],
)
def test_invalid_options_are_refused(wrong: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        desired({**OPTIONS, **wrong})
    assert message in str(refused.value)
