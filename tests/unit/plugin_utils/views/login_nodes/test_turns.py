# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The turns of a rolling update."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_nodes import turns


@pytest.fixture
def in_turn(variables: dict[str, t.Any]) -> dict[str, t.Any]:
    own = {"ml-1": 0, "ml-2": 1, "b-1": 0, "b-2": 1}
    hostvars = {host: {**known, **({turns.TURN: own[host]} if host in own else {})} for host, known in variables["hostvars"].items()}
    return {**variables, "hostvars": hostvars}


@pytest.mark.parametrize(("host", "own"), [("ml-1", 0), ("ml-2", 1)])
def test_nodes_of_a_cluster_take_turns(variables: dict[str, t.Any], host: str, own: int) -> None:
    found = turns.turns({**variables, "inventory_hostname": host})
    assert (found.own, found.all, found.stopped) == (own, [], [])


def test_a_node_that_is_not_in_the_play_has_no_turn(variables: dict[str, t.Any]) -> None:
    assert turns.turns({**variables, "inventory_hostname": "ml-2", "ansible_play_hosts_all": ["ml-2"]}).own == 0


def test_there_are_enough_turns_for_all_nodes(in_turn: dict[str, t.Any]) -> None:
    assert turns.turns(in_turn).all == [0, 1]
    assert turns.turns({**in_turn, "ansible_play_hosts": ["ml-1", "b-1"]}).all == [0]


def test_one_node_of_each_cluster_is_in_turn(in_turn: dict[str, t.Any]) -> None:
    assert [turns.turn({**in_turn, "login_nodes_now": now}) for now in (0, 1, 2)] == ["i-b-1, i-ml-1", "i-ml-2", ""]


@pytest.mark.parametrize(
    ("runs", "stopped"),
    [
        ({}, []),
        ({"ml-1": {"failed": True}}, []),
        ({"ml-1": {"failed": True}, "b-1": {"failed": True}, "b-2": {"failed": True}}, []),  # of another cluster
        ({"ml-1": {"failed": True}, "ml-2": {"failed": True}}, ["i-ml-1", "i-ml-2"]),
        ({"ml-1": {"configured": True}, "ml-2": {"failed": True}}, []),
    ],
)
def test_two_failed_nodes_of_the_cluster_stop_the_update(
    in_turn: dict[str, t.Any], runs: dict[str, dict[str, bool]], stopped: list[str]
) -> None:
    hostvars = {host: {**known, "hyperpod_run": runs.get(host, {})} for host, known in in_turn["hostvars"].items()}
    found = turns.turns({**in_turn, "hostvars": hostvars}).stopped
    why = f"{', '.join(stopped)} of the same cluster failed earlier in the rolling update"
    texts = [f"{why}, so this node was not changed. Fix those nodes, then run again."]
    assert [(each["kind"], each["text"]) for each in found] == ([("pending", *texts)] if stopped else [])


@pytest.mark.parametrize(
    ("mates", "planned", "ready"),
    [({}, True, True), ({}, False, False), ({"failed": True}, True, False), ({"failed": True}, False, False)],
)
def test_a_stopped_node_is_not_ready_regardless_of_its_plan(
    in_turn: dict[str, t.Any], mates: dict[str, bool], planned: bool, ready: bool
) -> None:
    hostvars = {**in_turn["hostvars"], "ml-3": {"hyperpod_instance_id": "i-ml-3", turns.TURN: 2}}
    hostvars |= {host: {**hostvars[host], "hyperpod_run": mates} for host in ("ml-1", "ml-2")}
    groups = {**in_turn["groups"], "node_type_login": ["ml-1", "ml-2", "ml-3"]}
    own = {"inventory_hostname": "ml-3", "hyperpod_run": {"ready": planned}, "ansible_play_hosts_all": ["ml-1", "ml-2", "ml-3"]}
    assert turns.turns({**in_turn, **own, "groups": groups, "hostvars": hostvars}).ready is ready


@pytest.mark.parametrize(("run", "first"), [({"failed": True}, True), ({"configured": True}, False)])
def test_the_node_after_a_failed_one_is_the_first(in_turn: dict[str, t.Any], run: dict[str, bool], first: bool) -> None:
    hostvars = {**in_turn["hostvars"], "ml-1": {**in_turn["hostvars"]["ml-1"], "hyperpod_run": run}}
    assert turns.turns({**in_turn, "hostvars": hostvars, "inventory_hostname": "ml-2"}).first is first


def test_a_node_without_a_turn_has_not_failed_in_it(in_turn: dict[str, t.Any]) -> None:
    hostvars = {**in_turn["hostvars"], "ml-1": {**in_turn["hostvars"]["ml-1"], "hyperpod_run": {"failed": True}}}
    hostvars["ml-2"] = {"hyperpod_instance_id": "i-ml-2", "hyperpod_run": {"failed": True}}
    assert turns.turns({**in_turn, "hostvars": hostvars}).stopped == []
