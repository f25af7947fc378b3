# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired queue, and the options that are refused."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.identity import OWN_TAGS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.model import Desired, Redrive, Settings
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.options import desired

DEAD = "arn:aws:sqs:us-west-2:111111111111:dead"
POLICY = {"Statement": [{"Effect": "Allow"}]}
OPTIONS: dict[str, t.Any] = {
    "name": "events",
    "state": "present",
    "policy": None,
    "dead_letter_queue_arn": None,
    "max_receive_count": 3,
    "message_retention_period": None,
    "receive_wait_time": None,
    "tags": None,
    "purge_tags": True,
    "adopt": False,
}


def test_a_queue_is_built_from_its_options() -> None:
    assert desired(OPTIONS) == Desired("events", tags=OWN_TAGS, purge_tags=False)
    given = {"policy": POLICY, "dead_letter_queue_arn": DEAD, "message_retention_period": 60, "receive_wait_time": 20, "tags": {}}
    found = desired({**OPTIONS, **given})
    assert found == Desired("events", settings=Settings(POLICY, Redrive(DEAD, 3), 60, 20), tags=OWN_TAGS, purge_tags=True)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "a.fifo"}, "name: 'a.fifo' is not allowed"),
        ({"policy": {}}, "policy: {} is not allowed"),
        ({"policy": {"Statement": []}}, "policy: {'Statement': []} is not allowed"),
        ({"dead_letter_queue_arn": "dead"}, "dead_letter_queue_arn: 'dead' is not allowed"),
        ({"dead_letter_queue_arn": DEAD, "max_receive_count": 0}, "max_receive_count: 0 is not allowed"),
        ({"message_retention_period": 59}, "message_retention_period: 59 is not allowed"),
        ({"message_retention_period": 1209601}, "message_retention_period: 1209601 is not allowed"),
        ({"receive_wait_time": 21}, "receive_wait_time: 21 is not allowed"),
        ({"receive_wait_time": -1}, "receive_wait_time: -1 is not allowed"),
    ],
)
def test_invalid_options_are_refused(wrong: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        desired({**OPTIONS, **wrong})
    assert message in str(refused.value)
