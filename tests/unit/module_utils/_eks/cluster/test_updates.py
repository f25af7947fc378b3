# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates of an EKS cluster: their end, their failure, and whether one runs."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.updates import Updates

ONE = {"name": "ml", "updateId": "1"}


def update(status: str | None, *errors: dict[str, t.Any], kind: str = "LoggingUpdate") -> dict[str, t.Any]:
    return {"update": {"id": "1", "type": kind, "errors": list(errors), **({"status": status} if status else {})}}


def wait(client: t.Any) -> None:
    now = [0.0]
    clock = Clock(now=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds), jitter=lambda: 0.0)
    Updates(Api(client), "ml").wait("1", Waits(timeout=60, interval=20, clock=clock))


@pytest.mark.parametrize("before", [[], ["InProgress", "InProgress"], [None, "New"]])
def test_an_update_is_followed_until_it_was_successful(stubbed: t.Any, before: list[str | None]) -> None:
    client, stub = stubbed("eks")
    for status in (*before, "Successful"):
        stub.add_response("describe_update", update(status), ONE)
    wait(client)


@pytest.mark.parametrize(
    ("status", "errors", "message"),
    [
        ("Failed", [{"errorCode": "SubnetNotFound", "errorMessage": "no\x1b"}], r"is Failed \(LoggingUpdate\): SubnetNotFound: no\?; set subnet_ids to"),
        ("Failed", [{"errorCode": "Unknown"}, {"errorCode": "EniLimitReached"}], "Unknown: ; EniLimitReached: ; request a higher quota of network"),
        ("Failed", [], "EKS gives no reason; correct the problem and run again"),
        ("Cancelled", [], r"is Cancelled \(LoggingUpdate\): EKS gives no reason"),
    ],
)
def test_a_failed_update_is_reported_with_the_next_step(stubbed: t.Any, status: str, errors: list[dict[str, str]], message: str) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_update", update(status, *errors), ONE)
    with pytest.raises(Failure, match=f"an update of EKS cluster ml {message}" if message.startswith("is") else message):
        wait(client)


def test_a_running_update_is_found_and_ended_ones_are_described_once(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    updates = Updates(Api(client), "ml")
    stub.add_response("list_updates", {"updateIds": ["1"], "nextToken": "more"}, {"name": "ml"})
    stub.add_response("list_updates", {"updateIds": ["2"]}, {"name": "ml", "nextToken": "more"})
    stub.add_response("describe_update", update("Failed"), ONE)
    stub.add_response("describe_update", update("InProgress", kind="VersionUpdate"), {"name": "ml", "updateId": "2"})
    assert updates.running() == "VersionUpdate"
    stub.add_response("list_updates", {"updateIds": ["1", "2"]}, {"name": "ml"})
    stub.add_response("describe_update", update("Successful"), {"name": "ml", "updateId": "2"})
    assert updates.running() == ""
    stub.add_response("list_updates", {"updateIds": ["1", "2"]}, {"name": "ml"})
    assert updates.running() == ""
