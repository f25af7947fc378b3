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
    assert (found.own, found.all, found.refusals) == (own, [], [])


def test_a_node_that_is_not_in_the_play_has_no_turn(variables: dict[str, t.Any]) -> None:
    assert turns.turns({**variables, "inventory_hostname": "ml-2", "ansible_play_hosts_all": ["ml-2"]}).own == 0


def test_there_are_as_many_turns_as_nodes_need(in_turn: dict[str, t.Any]) -> None:
    assert turns.turns(in_turn).all == [0, 1]
    assert turns.turns({**in_turn, "ansible_play_hosts": ["ml-1", "b-1"]}).all == [0]


def test_nodes_in_turn_are_one_of_each_cluster(in_turn: dict[str, t.Any]) -> None:
    assert [turns.turn({**in_turn, "login_nodes_now": now}).nodes for now in (0, 1, 2)] == ["i-b-1, i-ml-1", "i-ml-2", ""]


def test_a_node_of_this_cluster_that_failed_ends_the_update(in_turn: dict[str, t.Any]) -> None:
    assert turns.turns(in_turn).refusals == []  # b-2 is of another cluster
    (refusal,) = turns.turns({**in_turn, "ansible_play_hosts": ["ml-2"], "inventory_hostname": "ml-2"}).refusals
    assert refusal["kind"] == "failure" and refusal["text"].startswith("Not changed, because i-ml-1 of the same cluster failed.")


def test_a_node_that_had_no_changes_has_not_failed(in_turn: dict[str, t.Any]) -> None:
    hostvars = {**in_turn["hostvars"], "ml-2": {"hyperpod_instance_id": "i-ml-2"}}
    assert turns.turns({**in_turn, "hostvars": hostvars, "ansible_play_hosts": ["ml-1"]}).refusals == []
