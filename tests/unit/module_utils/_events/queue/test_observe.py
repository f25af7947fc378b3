# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a queue is read."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.model import Queue, Settings, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.observe import NOT_FOUND, read

URL = "https://sqs.us-west-2.amazonaws.com/111111111111/events"
ATTRIBUTES = {"QueueArn": "arn", "SqsManagedSseEnabled": "true"}


def test_a_queue_is_read_with_its_tags(stubbed: t.Any) -> None:
    client, stub = stubbed("sqs")
    stub.add_response("get_queue_url", {"QueueUrl": URL}, {"QueueName": "events"})
    stub.add_response("get_queue_attributes", {"Attributes": ATTRIBUTES}, {"QueueUrl": URL, "AttributeNames": ["All"]})
    stub.add_response("list_queue_tags", {"Tags": {"a": "b"}}, {"QueueUrl": URL})
    assert read(Api(client), "events") == State(Queue(URL, "arn", Settings.from_api(ATTRIBUTES), {"a": "b"}))


def test_a_queue_without_tags(stubbed: t.Any) -> None:
    client, stub = stubbed("sqs")
    stub.add_response("get_queue_url", {"QueueUrl": URL})
    stub.add_response("get_queue_attributes", {"Attributes": ATTRIBUTES})
    stub.add_response("list_queue_tags", {})
    found = read(Api(client), "events").queue
    assert found is not None and found.tags == {}


@pytest.mark.parametrize("code", NOT_FOUND)
def test_a_queue_that_does_not_exist(stubbed: t.Any, code: str) -> None:
    client, stub = stubbed("sqs")
    stub.add_client_error("get_queue_url", code)
    assert read(Api(client), "events") == State()
    stub.add_response("get_queue_url", {"QueueUrl": URL})
    stub.add_client_error("get_queue_attributes", code)  # it is being removed
    assert read(Api(client), "events") == State()


def test_other_errors_are_raised(stubbed: t.Any) -> None:
    client, stub = stubbed("sqs")
    stub.add_client_error("get_queue_url", "AccessDenied")
    with pytest.raises(AwsError, match="GetQueueUrl for queue events failed"):
        read(Api(client), "events")
