# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes of a cluster are what, by what the run knows of each."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

GROUPS = {
    "hyperpod_clusters": ["ml", "b"],
    "cluster_ml": ["ml", "ml-i-1", "ml-i-2", "ml-i-3"],
    "cluster_b": ["b", "b-i-4"],
    "cluster_all": ["ml", "b", "ml-i-1", "ml-i-2", "ml-i-3", "b-i-4"],
    "node_type_login": ["ml-i-1", "b-i-4"],
}
RUNS: dict[str, dict[str, t.Any]] = {
    "ml": {"ready": True, "records": {}},
    "ml-i-1": {"reached": True, "dirty": True, "configured": False, "ready": True},
    "ml-i-2": {"reached": True},
    "ml-i-3": {"another_host_key": True, "unproven": True},
    "b-i-4": {"reached": True, "dirty": True, "ready": True},
}


def variables(host: str, *, playing: t.Sequence[str] = tuple(RUNS), **runs: t.Any) -> dict[str, t.Any]:
    hostvars: dict[str, dict[str, t.Any]] = {}
    for name, run in {**RUNS, **runs}.items():
        key, _dash, instance_id = name.partition("-")
        own = {"hyperpod_instance_id": instance_id} if instance_id else {"hyperpod_cluster_group": f"cluster_{key}"}
        hostvars[name] = {**own, **({} if run is None else {"hyperpod_run": run})}
    names = [name for name, members in GROUPS.items() if host in members]
    return {"groups": GROUPS, "group_names": names, "hostvars": hostvars, "ansible_play_hosts": list(playing)}


ANSWERS = {
    "nodes": ["i-1", "i-2", "i-3"],
    "login_nodes": ["i-1"],
    "reached": ["i-1", "i-2"],
    "refused": ["i-2"],
    "unproven": ["i-3"],
    "dirty": ["i-1"],
    "configured": [],
    "ready": ["i-1"],
    "users_seen": [],
    "with_another_host_key": ["i-3"],
}


@pytest.mark.parametrize("host", ["ml", "ml-i-2"])
@pytest.mark.parametrize("question", fleet.QUESTIONS)
def test_answers_are_of_one_cluster_on_all_its_hosts(host: str, question: str) -> None:
    found = getattr(fleet.of(variables(host)), question)
    assert [node.instance_id for node in found] == ANSWERS[question]


def test_a_node_that_failed_in_the_play_is_not_asked_again() -> None:
    assert fleet.of(variables("ml", playing=["ml", "ml-i-1"])).with_another_host_key == ()


def test_a_node_of_which_nothing_is_known_yet_is_nothing() -> None:
    found = fleet.of(variables("ml", **{"ml-i-1": None, "ml-i-2": None, "ml-i-3": None}))
    assert len(found.nodes) == 3 and found.reached == found.dirty == found.refused == ()


@pytest.mark.parametrize("names", [[], ["hyperpod_nodes"], ["cluster_all"], ["cluster_ml", "cluster_b"]])
def test_no_cluster_or_several_are_refused(names: list[str]) -> None:
    with pytest.raises(fleet.NoCluster, match="name no cluster"):
        fleet.cluster_host(names, GROUPS)


@pytest.mark.parametrize(("host", "cluster"), [("ml-i-1", "ml"), ("b-i-4", "b"), ("ml", "ml")])
def test_a_host_is_of_the_cluster_whose_group_it_is_in(host: str, cluster: str) -> None:
    names = [name for name, members in GROUPS.items() if host in members]
    assert fleet.cluster_host(names, GROUPS) == cluster


def test_a_group_of_its_own_name_makes_no_cluster() -> None:
    """Somebody may put a node of one cluster beside another cluster's host."""
    groups = {**GROUPS, "team": ["b", "ml-i-1"]}
    assert fleet.cluster_host(["cluster_ml", "node_type_login", "team"], groups) == "ml"
    with pytest.raises(fleet.NoCluster, match="name no cluster"):
        fleet.cluster_host(["team"], groups)
