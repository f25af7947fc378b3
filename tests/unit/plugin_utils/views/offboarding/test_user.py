# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The identity of the user, from all sources."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.offboarding import user

from .conftest import texts

RECORD = {"uid": 20003, "home": "/fsx/m", "other_uids": [20004], "owner": "ops", "since": "2026", "job": "first"}
Seen = t.Callable[..., dict[str, t.Any]]


def recorded(variables: dict[str, t.Any]) -> dict[str, t.Any]:
    cluster = {**variables["hostvars"]["ml"], "hyperpod_run": {"records": {"offboarded": {"mallory": RECORD}}}}
    return {**variables, "hostvars": {**variables["hostvars"], "ml": cluster}}


def elsewhere(variables: dict[str, t.Any], *uids: int) -> dict[str, t.Any]:
    return {**variables, "hostvars": {**variables["hostvars"], "b": {"__offboarding_uids_here": list(uids)}}}


def test_the_uid_of_the_record_comes_first(variables: dict[str, t.Any]) -> None:
    given = {**recorded(variables), "offboarding_uid": "20005", "offboarding_users": [{"name": "mallory", "uid": 20006}, {"name": "x", "uid": 1}]}
    assert user.known_uids(given) == [20003, 20004, 20005, 20006]
    found = user.user(given)
    assert (found.uid, found.other_uids, found.home) == (20003, [20004, 20005, 20006], "/fsx/m")


def test_records_of_this_run_count(variables: dict[str, t.Any]) -> None:
    hostvars = {**variables["hostvars"], "ml": {**variables["hostvars"]["ml"], "__offboarding_recorded": {"uid": 20009}}}
    assert user.known_uids({**recorded(variables), "hostvars": hostvars}) == [20009]


def test_a_cluster_without_data_uses_that_of_others(variables: dict[str, t.Any]) -> None:
    assert user.user(elsewhere(variables, 20007, 20007)).uids == [20007]
    assert user.user(elsewhere({**variables, "offboarding_uid": 20001}, 20007)).uids == [20001]


def test_uids_of_nodes_are_added(seen: Seen) -> None:
    found = user.user({**seen(on_1={"uid": 20001, "home": "/fsx/a"}, on_2={"uid": 20001, "home": "/fsx/a"}), "offboarding_uid": 20000})
    assert (found.uids, found.uid) == ([20000, 20001], 20000)


@pytest.mark.parametrize(
    ("homes", "declared", "home"),
    [
        ({}, [], "/fsx/mallory"),
        ({"on_1": "/fsx/a", "on_2": "/fsx/a"}, [], "/fsx/a"),
        ({"on_1": "/fsx/a", "on_2": "/fsx/b"}, [], "/fsx/mallory"),
        ({"on_1": "/fsx/a"}, [{"name": "mallory", "home": "/fsx/d"}], "/fsx/d"),
        ({"on_1": "/fsx/a"}, [{"name": "mallory"}], "/fsx/mallory"),
    ],
)
def test_the_home_on_nodes_counts_if_they_agree(seen: Seen, homes: dict[str, str], declared: list[t.Any], home: str) -> None:
    accounts = {node: {"uid": 20001, "home": each} for node, each in homes.items()}
    assert user.user({**seen(**accounts), "offboarding_users": declared}).home == home


def test_the_evidence_contains_uids_of_all_clusters(variables: dict[str, t.Any]) -> None:
    found = user.person(elsewhere({**variables, "offboarding_uid": 20001}, 20007))
    assert (found.here["uids"], found.everywhere["uids"], found.here["job"]) == ([20001], [20007, 20001], "ops@bastion")


@pytest.mark.parametrize(
    ("accounts", "message"),
    [
        ({"on_1": {"uid": 33, "home": "/"}}, "is not allowed: it has UID 33 on nodes of ml."),
        ({"on_1": {"uid": 65534, "home": "/"}}, "is not allowed: it has UID 65534 on nodes of ml."),
        (
            {"on_2": {"uid": 20001, "home": "/"}, "on_1": {"uid": 20001, "home": "/"}},
            "The UID of mallory on i-1, i-2 differs from the declared or recorded UID (none). "
            "If the accounts are of the same user, set offboard_uid. Allowed: 20001.",
        ),
        ({}, "offboard_name: 'mallory' is not allowed: no declaration, record or reached node has it."),
    ],
)
def test_an_unknown_user_is_refused(seen: Seen, accounts: dict[str, dict[str, t.Any]], message: str) -> None:
    (refusal,) = texts(user.record(seen(**accounts)).refusals)
    assert message in refusal


ALONE = {"on_1": {"uid": 4242, "home": "/x"}, "on_2": {"uid": 20001, "home": "/fsx/a"}}


@pytest.mark.parametrize("uid", [4242, 0, 65534])
def test_a_single_node_with_a_different_uid_is_left_out(seen: Seen, uid: int) -> None:
    given = {**seen(**{**ALONE, "on_1": {"uid": uid, "home": "/x"}}), "offboarding_uid": 20001}
    assert (user.user(given).uids, user.user(given).home, user.record(given).refusals) == ([20001], "/fsx/a", [])
    reasons = [user.other_reason({**given, "hyperpod_instance_id": node}) for node in ("i-1", "i-2")]
    assert reasons == [f"its account has UID {uid}, and that of the user is 20001", ""]


def test_two_nodes_with_an_unknown_uid_stop_the_offboarding(seen: Seen) -> None:
    given = {**seen(on_1={"uid": 4242, "home": "/x"}, on_2={"uid": 4242, "home": "/x"}), "offboarding_uid": 20001}
    (refusal,) = texts(user.record(given).refusals)
    assert "on i-1, i-2 differs" in refusal and user.other_reason({**given, "hyperpod_instance_id": "i-1"}) == ""


@pytest.mark.parametrize("lie", [7, "x", {"uid": "x"}, {"uid": {}, "home": {}}, {"uid": 20001, "home": {}}, {"uid": True, "home": "/"}])
def test_a_malformed_account_is_ignored(seen: Seen, lie: t.Any) -> None:
    given = {**seen(on_1=lie, on_2={"uid": 20001, "home": "/fsx/a"}), "offboarding_uid": 20001}
    assert (user.user(given).uids, user.user(given).home, user.record(given).refusals) == ([20001], "/fsx/a", [])


def test_the_record_keeps_its_values(variables: dict[str, t.Any]) -> None:
    found = user.record({**recorded(variables), "offboarding_reason": "left"})
    assert found.refusals == []
    assert found.value == {"uid": 20003, "home": "/fsx/m", "job": "first", "reason": "left", "other_uids": [20004]}


def test_a_new_record_contains_the_found_values(seen: Seen) -> None:
    found = user.record({**seen(on_1={"uid": 20001, "home": "/fsx/a"}), "offboarding_uid": 20001})
    assert (found.refusals, found.value) == ([], {"uid": 20001, "home": "/fsx/a", "job": "ops@bastion"})
