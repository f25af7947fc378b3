# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that SQS returns late, names that are not free yet, and calls whose reply was lost."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.apply import DELETED_RECENTLY, EXISTS, SECONDS, Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.model import Desired, Queue
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.observe import NOT_FOUND

CREATE = Step("CreateQueue", {"QueueName": "events", "Attributes": {}}, ())
SET = Step("SetQueueAttributes", {"QueueUrl": "url", "Attributes": {"Policy": "{}"}}, ())
TAG = Step("TagQueue", {"QueueUrl": "url", "Tags": {"a": "b"}}, ())
DELETE = Step("DeleteQueue", {"QueueUrl": "url"}, ())
OLD, NEW = Queue("url", "old"), Queue("url", "new")


class World:
    """A queue that SQS returns in the given states, one after the other; the last one stays."""

    def __init__(self, stubbed: t.Any) -> None:
        client, self.stub = stubbed("sqs")
        self.seconds = 0.0
        self.returned: list[Queue | None] = [NEW]
        clock = Clock(now=lambda: self.seconds, sleep=self.pass_time, jitter=lambda: 0.0)
        self.apply = Applier(Api(client), Desired("events"), look=self.look, is_as_wanted=lambda queue: queue is NEW, clock=clock)

    def pass_time(self, seconds: float) -> None:
        self.seconds += seconds

    def look(self) -> Queue | None:
        return self.returned.pop(0) if len(self.returned) > 1 else self.returned[0]


@pytest.fixture
def world(stubbed: t.Any) -> World:
    return World(stubbed)


def test_a_change_is_awaited(world: World) -> None:
    world.stub.add_response("create_queue", {"QueueUrl": "url"})
    world.returned = [None, OLD, NEW]
    world.apply(CREATE)
    assert world.returned == [NEW]
    world.stub.add_response("set_queue_attributes", {})
    world.returned = [OLD, NEW]
    world.apply(SET)
    assert world.returned == [NEW]


def test_tags_are_not_awaited(world: World) -> None:
    world.stub.add_response("tag_queue", {})
    world.returned = [OLD]
    world.apply(TAG)


def test_a_change_that_sqs_does_not_return_is_a_failure(world: World) -> None:
    world.stub.add_response("set_queue_attributes", {})
    world.returned = [OLD]
    with pytest.raises(WaitTimeout, match="queue events is still not returned with its new settings after 90 s"):
        world.apply(SET)
    assert world.seconds == SECONDS


@pytest.mark.parametrize("code", DELETED_RECENTLY)
def test_a_name_that_is_not_free_yet_is_awaited(world: World, code: str) -> None:
    world.stub.add_client_error("create_queue", code)
    world.stub.add_client_error("create_queue", code)
    world.stub.add_response("create_queue", {"QueueUrl": "url"})
    world.apply(CREATE)
    assert world.seconds > 0


@pytest.mark.parametrize("code", EXISTS)
def test_a_queue_that_another_run_created_is_a_lost_race(world: World, code: str) -> None:
    world.stub.add_client_error("create_queue", code)
    with pytest.raises(LostRace):
        world.apply(CREATE)


def test_a_removal_is_awaited(world: World) -> None:
    world.stub.add_response("delete_queue", {})
    world.returned = [NEW, None]
    world.apply(DELETE)
    assert world.returned == [None]


@pytest.mark.parametrize("code", NOT_FOUND)
def test_a_removal_whose_reply_was_lost_is_done(world: World, code: str) -> None:
    world.stub.add_client_error("delete_queue", code)
    world.returned = [None]
    world.apply(DELETE)


@pytest.mark.parametrize(("step", "method"), [(CREATE, "create_queue"), (SET, "set_queue_attributes"), (DELETE, "delete_queue")])
def test_other_errors_are_raised(world: World, step: Step, method: str) -> None:
    world.stub.add_client_error(method, "AccessDenied")
    with pytest.raises(AwsError, match=f"{step.operation} for queue events failed"):
        world.apply(step)
