# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the connection log of a VPN says about people, in lines as AWS writes them."""

from __future__ import annotations

import json

import boto3
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws import client as _aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn import log
from botocore.stub import ANY, Stubber

GROUP = "/mlfleet/hyperpod/client-vpn/vpc-1"


def line(name: str, at: str, status: str = "successful", **more: str) -> str:
    event = {
        "connection-log-type": "connection-attempt",
        "connection-attempt-status": status,
        "connection-start-time": at,
        "username": "N/A",
        "common-name": name,
    }
    return json.dumps({**event, **more})


def test_the_last_connection_and_the_last_refusal_of_each_person():
    lines = [
        line("alice", "2026-11-21 08:15:30"),
        line("alice", "2026-11-20 08:15:30"),
        line("mallory", "2026-11-19 10:00:00"),
        line("mallory", "2026-11-21 09:00:00", "failed"),
        line("bob", "2026-11-21 09:30:00", "waiting-for-assertion"),
        line("NA", "2026-11-21 09:00:00", "failed"),
        line("laptop", "2026-11-21 09:00:00", username="carol"),
        line("alice", "2026-11-22 09:00:00", **{"connection-log-type": "connection-reset"}),
        "not JSON",
        "[]",
    ]
    assert log.people_of(lines) == {
        "alice": {"last_connected": "2026-11-21T08:15:30Z", "last_refused": "", "connections": 2},
        "bob": {"last_connected": "", "last_refused": "", "connections": 0},
        "carol": {"last_connected": "2026-11-21T09:00:00Z", "last_refused": "", "connections": 1},
        "mallory": {
            "last_connected": "2026-11-19T10:00:00Z",
            "last_refused": "2026-11-21T09:00:00Z",
            "connections": 1,
        },
    }


@pytest.fixture
def stubbed():
    client = boto3.client(
        "logs", region_name="us-west-2", aws_access_key_id="example", aws_secret_access_key="example"
    )
    with Stubber(client) as stubber:
        yield _aws.Api(client), stubber
        stubber.assert_no_pending_responses()


def test_all_pages_are_read(stubbed):
    api, stubber = stubbed
    asked = {"logGroupName": GROUP, "startTime": ANY, "filterPattern": log.ATTEMPTS}
    stubber.add_response("filter_log_events", {"events": [{"message": "a"}], "nextToken": "next"}, asked)
    stubber.add_response("filter_log_events", {"events": [{"message": "b"}]}, {**asked, "nextToken": "next"})
    assert log.read(api, group=GROUP, days=90) == ["a", "b"]


@pytest.mark.parametrize("code, expected", [("ResourceNotFoundException", None), ("AccessDeniedException", _aws.AwsError)])
def test_no_log_is_no_error_but_one_that_cannot_be_read_is(stubbed, code, expected):
    api, stubber = stubbed
    stubber.add_client_error("filter_log_events", code)
    if expected is None:
        assert log.read(api, group=GROUP, days=90) is None
    else:
        with pytest.raises(expected, match=f"FilterLogEvents for {GROUP} failed; allow the action"):
            log.read(api, group=GROUP, days=90)
