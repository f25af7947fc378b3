# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drained login nodes, and the messages to their users."""

from __future__ import annotations

import datetime
import re
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import drain

A, B, C = "i-a", "i-b", "i-c"
BY = {"owner": "ops", "since": "2026-11-20", "reason": "disk"}
RIGHT = {"drain_reason": "disk", "drain_timeout": "3600", "drain_force": False, "drain_settle": 0}


@pytest.mark.parametrize("given", [{}, {"drain_timeout": 86400, "drain_force": "Yes", "drain_settle": "900"}, {"drain_reason": "x" * 500}])
def test_valid_options_are_accepted(given: dict[str, t.Any]) -> None:
    assert drain.refusals({**RIGHT, **given}) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"drain_reason": " "}, 'drain_reason: " " is not allowed. Allowed: one line of 1 to 500 characters'),
        ({"drain_reason": "a\nb"}, 'drain_reason: "a\\nb" is not allowed.'),
        ({"drain_reason": "x" * 501}, "drain_reason: "),
        ({"drain_timeout": 86401}, "drain_timeout: 86401 is not allowed. Allowed: 0 to 86400 seconds."),
        ({"drain_timeout": "-1"}, "drain_timeout: -1 is not allowed."),
        ({"drain_force": "maybe"}, "drain_force: maybe is not allowed. Allowed: true, false."),
        ({"drain_settle": 901}, "drain_settle: 901 is not allowed. Allowed: 0 to 900 seconds."),
    ],
)
def test_invalid_options_are_refused(given: dict[str, t.Any], message: str) -> None:
    (refusal,) = drain.refusals({**RIGHT, **given})
    assert refusal["kind"] == "failure" and refusal["text"].startswith(message)


@pytest.fixture
def two_clusters() -> dict[str, t.Any]:
    nodes = {f"{cluster}-{each}": {"hyperpod_instance_id": f"i-{cluster}-{each}"} for cluster in ("ml", "b") for each in (1, 2)}
    return {
        "ansible_play_hosts_all": ["ml", "b"],
        "drain_chosen_by": "drain_nodes",
        "groups": {"cluster_ml": ["ml", "ml-1", "ml-2"], "cluster_b": ["b", "b-1", "b-2"], "node_type_login": ["b-1", "ml-1", "ml-2", "c-1"]},
        "hostvars": {"ml": {"hyperpod_cluster_group": "cluster_ml"}, "b": {"hyperpod_cluster_group": "cluster_b"}, **nodes},
        "hyperpod_cluster_group": "cluster_ml",
    }


@pytest.mark.parametrize(
    ("wanted", "hosts"), [("i-ml-2,ml-1", ["ml-1", "ml-2"]), (["i-b-1"], []), ("i-b-1,ml-2", ["ml-2"])]
)
def test_nodes_of_all_clusters_can_be_chosen(two_clusters: dict[str, t.Any], wanted: t.Any, hosts: list[str]) -> None:
    found = drain.chosen({**two_clusters, "drain_chosen_nodes": wanted})
    assert (found.refusals, found.hosts) == ([], hosts)


@pytest.mark.parametrize(("wanted", "wrong"), [("", ": missing."), ("ml-1,b-2", ": b-2 is not allowed."), (["c-1"], ": c-1 is not allowed.")])
def test_a_node_that_is_no_login_node_of_this_run_is_refused(two_clusters: dict[str, t.Any], wanted: t.Any, wrong: str) -> None:
    (refusal,) = drain.chosen({**two_clusters, "drain_chosen_nodes": wanted}).refusals
    assert refusal["text"].startswith(f"drain_nodes{wrong}") and refusal["text"].endswith("commas: b-1, ml-1, ml-2.")


def test_without_login_nodes_none_is_allowed(two_clusters: dict[str, t.Any]) -> None:
    groups = {name: hosts for name, hosts in two_clusters["groups"].items() if name != "node_type_login"}
    (refusal,) = drain.chosen({**two_clusters, "groups": groups, "drain_chosen_nodes": "ml-1"}).refusals
    assert refusal["text"].endswith("commas: there are none.")


def recorded(*undrained: str, **records: t.Any) -> drain.Records:
    run = {"records": {"adopted": {"balancer": {}}, **records}, "node_access": {A: {}, C: {}}}
    hostvars = {f"ml-{each}": {"hyperpod_instance_id": each} for each in (A, B, C)}
    return drain.records({"hyperpod_run": run, "hostvars": hostvars, "drain_undrain": [f"ml-{each}" for each in undrained]})


def test_records_of_missing_or_undrained_nodes_are_removed() -> None:
    found = recorded(C, B, drained={C: BY, B: BY, A: BY})
    assert (found.recorded, found.removed, found.gone) == (True, [B, C], [B])
    assert found.remaining == {"adopted": {"balancer": {}}, "drained": {A: BY}}
    assert [each["text"] for each in found.notes] == ["i-a is drained (by ops, since 2026-11-20): disk."]


def test_a_node_that_is_not_drained_is_not_undrained() -> None:
    found = recorded(A, drained={C: BY})
    assert (found.removed, found.remaining["drained"]) == ([], {C: BY})


def test_without_records_nothing_is_removed() -> None:
    found = recorded(A)
    assert (found.recorded, found.removed, found.notes) == (False, [], [])


@pytest.fixture
def of_node() -> dict[str, t.Any]:
    return {
        "drain_force": False,
        "drain_reason": " disk ",
        "drain_timeout": 60,
        "drain_whole_group": False,
        "group_names": ["cluster_ml", "team"],
        "groups": {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", "ml-1"], "team": ["ml-1"]},
        "hostvars": {"ml": {"hyperpod_run": {"login_name": "login.example.com", "node_access": {A: {"access": "gained"}}}}},
        "hyperpod_instance_id": A,
        "__drain_record": {"records": {"drained": {A: {**BY, "login_name": "login.example.com"}}}},
    }


def test_the_record_of_a_drain_is_built(of_node: dict[str, t.Any]) -> None:
    assert drain.cluster_host(of_node) == "ml"
    expected = {"reason": "disk", "login_name": "login.example.com"}
    assert drain.record(of_node) == expected
    assert drain.record({**of_node, "drain_whole_group": "true"}) == {**expected, "whole_group": "true"}


def test_concurrent_records_are_merged(of_node: dict[str, t.Any]) -> None:
    """No single answer is complete: each was returned while the others were being written."""

    def answered(*names: str) -> dict[str, t.Any]:
        return {"records": {"adopted": {"balancer": {}}, "drained": {each: {**BY, "login_name": each} for each in names}}}

    nodes = {"ml-1": (A, answered(A)), "ml-2": (B, answered(B, C)), "ml-4": ("i-d", {"skipped": True}), "b-1": ("i-e", answered("i-e"))}
    hostvars = {
        "ml": {**of_node["hostvars"]["ml"], "hyperpod_cluster_group": "cluster_ml"},
        **{host: {"hyperpod_instance_id": iid, "__drain_record": answer} for host, (iid, answer) in nodes.items()},
    }
    groups = {**of_node["groups"], "cluster_ml": ["ml", "ml-1", "ml-2", "ml-4"]}
    play = {**of_node, "groups": groups, "hostvars": hostvars, "ansible_play_hosts": list(nodes)}
    for answer in (answered(A), answered(B, C)):
        found = drain.recorded({**play, "__drain_record": answer})
        assert set(found["drained"]) == {A, B, *answer["records"]["drained"]} and found["adopted"] == {"balancer": {}}


@pytest.mark.parametrize(
    ("force", "sessions", "empty"),
    [
        (False, {"login_sessions": []}, True),
        (True, {"login_sessions": [{"user": "alice"}]}, False),
        (False, {"skipped": True}, False),
        (True, {"skipped": True}, True),
        ("yes", {"skipped": True}, True),
        ("maybe", {"skipped": True}, False),
    ],
    ids=["no sessions", "a remaining session", "unknown", "unknown and terminated", "terminated by a word", "an unknown word"],
)
def test_a_node_is_empty_without_sessions(force: object, sessions: dict[str, t.Any], empty: bool) -> None:
    assert drain.emptied({"drain_force": force, "__drain_sessions": sessions}) is empty


@pytest.mark.parametrize(
    ("instance", "ping", "expected"),
    [
        (A, {"ping": "pong"}, (True, True)),
        (A, {"unreachable": True}, (True, False)),
        (A, None, (True, False)),
        (B, {"skipped": True}, (False, False)),
    ],
)
def test_a_node_must_have_been_reached_and_still_answer(
    of_node: dict[str, t.Any], instance: str, ping: dict[str, t.Any] | None, expected: tuple[bool, bool]
) -> None:
    ping_result = {} if ping is None else {"__drain_ping": ping}
    found = drain.node({**of_node, "hyperpod_instance_id": instance, **ping_result})
    assert (found.reached, found.answers) == expected


@pytest.mark.parametrize("access", [{}, {A: {}}, {A: {"access": "lost"}}])
def test_an_unreached_node_is_not_queried(of_node: dict[str, t.Any], access: dict[str, t.Any]) -> None:
    hostvars = {"ml": {"hyperpod_run": {"node_access": access}}}
    assert drain.node({**of_node, "hostvars": hostvars}).reached is False


def test_users_are_asked_to_leave(of_node: dict[str, t.Any]) -> None:
    found = drain.sessions(of_node)
    assert found.ended is False and "Please finish your work" in found.notice


def test_the_deadline_is_announced_to_users_of_a_whole_group(of_node: dict[str, t.Any]) -> None:
    record = {**of_node["__drain_record"]["records"]["drained"][A], "whole_group": "true"}
    found = drain.sessions({**of_node, "drain_timeout": "7200", "__drain_record": {"records": {"drained": {A: record}}}})
    assert found.ended is False
    (deadline,) = re.findall(r"Please log out by (\d\d:\d\d UTC on \d{4}-\d\d-\d\d)\. The update waits until then", found.notice)
    until = datetime.datetime.strptime(deadline, "%H:%M UTC on %Y-%m-%d").replace(tzinfo=datetime.timezone.utc)
    after = until - datetime.datetime.now(datetime.timezone.utc)
    assert datetime.timedelta(minutes=118) < after <= datetime.timedelta(minutes=120)


@pytest.mark.parametrize(("force", "ended"), [("", False), ("maybe", False), ("no", False), ("Yes", True), (1, True)])
def test_only_true_values_end_sessions(of_node: dict[str, t.Any], force: object, ended: bool) -> None:
    assert drain.sessions({**of_node, "drain_force": force}).ended is ended


@pytest.mark.parametrize(("word", "whole"), [("maybe", False), ("", False), ("no", False), ("yes", True), (True, True)])
def test_only_true_values_drain_a_whole_group(of_node: dict[str, t.Any], word: object, whole: bool) -> None:
    assert ("whole_group" in drain.record({**of_node, "drain_whole_group": word})) is whole


@pytest.mark.parametrize("force", [True, "yes"])
def test_the_end_of_sessions_is_announced_to_users(of_node: dict[str, t.Any], force: object) -> None:
    found = drain.sessions({**of_node, "drain_force": force})
    assert found.ended is True
    assert re.search(r"Login node i-a .*: disk\.\nSessions on this node will be terminated at \d\d:\d\d UTC on \d{4}-\d\d-\d\d\.", found.notice)
