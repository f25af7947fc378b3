# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The injected faults of the stand-in of AWX."""

from __future__ import annotations

import http.client
import typing as t

import pytest
from lab.awx.client import Client
from lab.awx.server import Server


def inject(client: Client, **rule: t.Any) -> None:
    assert client.send("POST", "/lab/faults", [rule]).status == 200


def create(client: Client, name: str) -> int:
    """The status, or 0 without a reply."""
    try:
        return client.send("POST", "organizations/", {"name": name}).status
    except http.client.RemoteDisconnected:
        return 0


def names(client: Client) -> list[str]:
    return [name for name in client.names("organizations/") if name != "Default"]


def test_awx_is_unavailable_for_some_requests(admin: Client) -> None:
    inject(admin, kind="unavailable", method="POST", path="organizations/", after=1, times=2)
    assert [create(admin, name) for name in "abcd"] == [201, 503, 503, 201]
    assert names(admin) == ["a", "d"]


def test_a_lost_reply_belongs_to_a_request_that_took_effect(awx: Server, admin: Client) -> None:
    inject(admin, kind="lost", method="POST", times=1)
    assert [create(admin, "a"), create(admin, "a")] == [0, 400]
    assert names(admin) == ["a"]
    assert [(each.status, each.fault) for each in awx.changes] == [(0, "lost")]


def test_a_refused_connection_has_no_effect(admin: Client) -> None:
    inject(admin, kind="refuse", method="POST", times=1)
    assert [create(admin, "a"), create(admin, "b")] == [0, 201]
    assert names(admin) == ["b"]


def test_a_new_object_is_missing_in_the_next_lists(admin: Client) -> None:
    inject(admin, kind="lag", path="organizations/", method="POST", times=1, lists=2)
    assert [create(admin, "a"), create(admin, "b")] == [201, 201]
    assert admin.get("organizations/?name=a")["count"] == 0
    assert create(admin, "a") == 400
    assert names(admin) == ["b"]
    assert names(admin) == ["a", "b"]


def test_the_administrator_edits_before_a_request(awx: Server, admin: Client) -> None:
    inject(admin, kind="edit", method="POST", after=1, times=1, request=["PATCH", "organizations/2/", {"name": "b"}])
    assert [create(admin, "a"), create(admin, "b")] == [201, 400]
    assert names(admin) == ["b"]
    assert [each.method for each in awx.changes] == ["POST"]


def test_all_tokens_expire(awx: Server, admin: Client) -> None:
    inject(admin, kind="expired", after=1, times=1)
    assert [create(admin, name) for name in "abc"] == [201, 401, 401]
    with_password = Client.with_password(awx.url, "admin", awx.password)
    again = Client.with_token(awx.url, with_password.create("tokens/")["token"])
    assert names(again) == ["a"]


@pytest.mark.parametrize("changes", [0, 2])
def test_nothing_is_answered_after_some_changes(awx: Server, admin: Client, changes: int) -> None:
    inject(admin, kind="dead", method="change", after=changes)
    assert [create(admin, name) for name in "abc"] == [201] * changes + [0] * (3 - changes)
    with pytest.raises(http.client.RemoteDisconnected):
        admin.send("GET", "organizations/")
    assert admin.send("DELETE", "/lab/faults").body == []
    assert names(admin) == list("abc"[:changes])
    assert [each.body for each in awx.changes] == [{"name": name} for name in "abc"[:changes]]


@pytest.mark.parametrize("rule", [{"kind": "nope"}, {"kind": "lost", "nope": 1}])
def test_an_unknown_rule_is_refused(admin: Client, rule: t.Any) -> None:
    assert admin.send("POST", "/lab/faults", [rule]).status == 400
    assert admin.get("/lab/faults") == []
