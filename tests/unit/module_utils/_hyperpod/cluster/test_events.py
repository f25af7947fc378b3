# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reason of a failure from cluster events: on all pages, and of two events about one failure the one with a reason."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.events import (
    MOST,
    MOST_INCIDENTS,
    by_group,
    failures,
)

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NOON = datetime.datetime(2026, 11, 27, 12, tzinfo=datetime.timezone.utc)
CAPACITY = "We currently do not have sufficient capacity to launch new ml.p5.48xlarge instances. Please try again."
PAGE = 100


class Events:
    """A client with scripted answers. An event is its number, seconds before noon, level and group."""

    def __init__(self, stubbed: t.Any) -> None:
        self.client, self.stub = stubbed("sagemaker")
        self.api = HyperPod(self.client)

    def lists(self, *pages: t.Sequence[tuple[int, float, str, str]]) -> None:
        for place, page in enumerate(pages):
            token = {"NextToken": f"page-{place}"} if place else {}
            more = {"NextToken": f"page-{place + 1}"} if place + 1 < len(pages) else {}
            request = {"ClusterName": ARN, "SortBy": "EventTime", "SortOrder": "Descending", "MaxResults": PAGE, **token}
            self.stub.add_response("list_cluster_events", {"Events": [event(*each) for each in page], **more}, request)

    def describes(self, number: int, message: str = "") -> None:
        metadata = {"Instance": {"FailureMessage": message} if message else {"NodeLogicalId": "gpus-1"}}
        about = {key: value for key, value in event(number, 0, "Error", "gpus").items() if key != "EventLevel"}
        answer = {**about, "Description": f"event {number}", "EventDetails": {"EventMetadata": metadata}}
        self.stub.add_response("describe_cluster_event", {"EventDetails": answer}, {"ClusterName": ARN, "EventId": about["EventId"]})


def event(number: int, before: float, level: str, group: str) -> dict[str, t.Any]:
    about = {"ClusterArn": ARN, "ClusterName": "ml", "ResourceType": "Instance", "EventLevel": level}
    name = {"InstanceGroupName": group} if group else {}
    return {**about, **name, "EventId": f"00000000-0000-0000-0000-{number:012}", "EventTime": NOON - datetime.timedelta(seconds=before)}


@pytest.fixture
def events(stubbed: t.Any) -> Events:
    return Events(stubbed)


PROGRESS = [(100 + turn, turn, "Warn" if turn % 2 else "Info", "gpus") for turn in range(PAGE)]


def test_an_error_behind_pages_of_progress_is_found(events: Events) -> None:
    events.lists(PROGRESS, PROGRESS, [(1, 500, "Error", "gpus")])
    events.describes(1, CAPACITY)
    assert failures(events.api, ARN) == [f"{CAPACITY} (gpus)"]


def test_of_two_events_about_one_failure_the_reason_is_reported(events: Events) -> None:
    """The newer event has no reason."""
    events.lists([(2, 0, "Error", "gpus"), (1, 0.8, "Error", "gpus")])
    events.describes(2)
    events.describes(1, CAPACITY)
    found = by_group(events.api, ARN)["gpus"]
    assert (found.text, found.at) == (CAPACITY, "2026-11-27T12:00:00.000Z")


def test_events_of_two_groups_at_one_moment_stay_apart(events: Events) -> None:
    events.lists([(4, 0, "Error", "a"), (3, 0.1, "Error", "b"), (2, 0.9, "Error", "a"), (1, 1, "Error", "b")])
    events.describes(4)
    events.describes(2, "no capacity")
    events.describes(3)
    events.describes(1, "EFA health checks did not run successfully")
    texts = {group: failed.text for group, failed in by_group(events.api, ARN).items()}
    assert texts == {"a": "no capacity", "b": "EFA health checks did not run successfully"}


def test_an_earlier_failure_of_the_group_is_another_one(events: Events) -> None:
    events.lists([(2, 0, "Error", "gpus"), (1, 60, "Error", "gpus")])
    events.describes(2)
    assert by_group(events.api, ARN)["gpus"].text == "event 2"


def test_without_a_reason_the_description_is_reported(events: Events) -> None:
    events.lists([(2, 0, "Error", ""), (1, 1, "Error", "")])
    events.describes(2)
    events.describes(1)
    assert failures(events.api, ARN) == ["event 2 (cluster)"]


def test_no_page_is_read_once_there_are_enough_reasons(events: Events) -> None:
    rows = [(number, 60 * number, "Error", "gpus") for number in range(1, MOST + 2)]
    events.stub.add_response("list_cluster_events", {"Events": [event(*each) for each in rows], "NextToken": "more"})
    for number in range(1, MOST + 1):
        events.describes(number, f"reason {number}")
    assert failures(events.api, ARN) == [f"reason {number} (gpus)" for number in range(1, MOST + 1)]


def test_one_reason_for_many_nodes_costs_a_bounded_number_of_calls(events: Events) -> None:
    """Each node of a large group without capacity has an event every few minutes."""
    events.lists([(number, 60 * number, "Error", "gpus") for number in range(1, PAGE + 1)])
    for number in range(1, MOST_INCIDENTS + 1):
        events.describes(number, CAPACITY)
    assert failures(events.api, ARN) == [f"{CAPACITY} (gpus)"]


def test_an_unreadable_page_does_not_discard_earlier_results(events: Events) -> None:
    events.stub.add_response("list_cluster_events", {"Events": [event(1, 0, "Error", "gpus"), event(9, 60, "Info", "gpus")], "NextToken": "more"})
    events.describes(1, CAPACITY)
    events.stub.add_client_error("list_cluster_events", "ThrottlingException")
    assert failures(events.api, ARN) == [f"{CAPACITY} (gpus)"]


class Answers:
    """An API with scripted answers, which may lack fields that AWS's model requires."""

    def __init__(self, *answers: dict[str, t.Any]) -> None:
        self.answers = list(answers)

    def call(self, operation: str, **_given: t.Any) -> dict[str, t.Any]:
        return self.answers.pop(0)


def of(*answers: dict[str, t.Any]) -> t.Any:
    return t.cast(t.Any, Answers(*answers))


BARE = {key: value for key, value in event(1, 0, "Error", "gpus").items() if key != "EventId"}
UNKNOWN = "AWS lists a failure without an EventId, so the reason is unknown"


def test_a_failure_without_an_id_has_the_description_of_its_summary() -> None:
    listed = {"Events": [{**BARE, "Description": "no capacity"}]}
    assert failures(of(listed), ARN) == ["no capacity (gpus)"]
    assert by_group(of(listed), ARN)["gpus"].text == "no capacity"


@pytest.mark.parametrize("no_id", [{}, {"EventId": None}, {"EventId": ""}])
def test_a_failure_without_an_id_and_a_description_is_reported_in_words(no_id: dict[str, t.Any]) -> None:
    assert failures(of({"Events": [{**BARE, **no_id}]}), ARN) == [f"{UNKNOWN} (gpus)"]
    assert by_group(of({"Events": [{**BARE, **no_id}]}), ARN)["gpus"].text == UNKNOWN


def test_another_event_about_the_failure_has_the_reason() -> None:
    listed = {"Events": [BARE, event(2, 0.5, "Error", "gpus")]}
    described = {"EventDetails": {"EventDetails": {"EventMetadata": {"Instance": {"FailureMessage": CAPACITY}}}}}
    assert failures(of(listed, described), ARN) == [f"{CAPACITY} (gpus)"]


@pytest.mark.parametrize("answer", [{}, {"Events": None}])
def test_an_answer_without_events_is_reported_as_unread(answer: dict[str, t.Any]) -> None:
    unread = "other events of the cluster could not be read because AWS's answer has no field Events"
    assert failures(of(answer), ARN) == [unread]
    page = {"Events": [{**BARE, "Description": "no capacity"}, {**BARE, "EventLevel": "Info", "EventTime": NOON - datetime.timedelta(60)}]}
    assert failures(of({**page, "NextToken": "more"}, answer), ARN) == ["no capacity (gpus)", unread]
    assert by_group(of({**page, "NextToken": "more"}, answer), ARN)["gpus"].text == "no capacity"
