# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles of a cluster's nodes, from what the run has recorded about each."""

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
ACCESS = {f"i-{number}": {"access": "ready", "status": "Running", "configured": True} for number in (1, 2, 3)}
RUNS: dict[str, dict[str, t.Any]] = {
    "ml": {"ready": True, "records": {}, "node_access": ACCESS},
    "ml-i-1": {"reached": True, "dirty": True, "configured": False, "ready": True},
    "ml-i-2": {"reached": True, "failed": True, "conflict": True},
    "ml-i-3": {"locked_out": True},
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
    "failed": ["i-2", "i-3"],
    "conflicting": ["i-2"],
    "dirty": ["i-1"],
    "configured": [],
    "ready": ["i-1"],
    "users_seen": [],
    "locked_out": ["i-3"],
}


@pytest.mark.parametrize("host", ["ml", "ml-i-2"])
@pytest.mark.parametrize("question", fleet.QUESTIONS)
def test_each_host_of_a_cluster_gives_the_same_answer(host: str, question: str) -> None:
    found = getattr(fleet.of(variables(host)), question)
    assert [node.instance_id for node in found] == ANSWERS[question]


def test_a_node_that_failed_in_the_play_is_not_used_again() -> None:
    assert fleet.of(variables("ml", playing=["ml", "ml-i-1"])).locked_out == ()


def test_a_node_without_a_run_state_has_no_property() -> None:
    found = fleet.of(variables("ml", **{"ml-i-1": None, "ml-i-2": None, "ml-i-3": None}))
    assert len(found.nodes) == 3 and found.reached == found.dirty == found.conflicting == ()


@pytest.mark.parametrize(
    ("access", "run", "failed"),
    [
        ({"access": "ready", "status": "Running"}, {"reached": True}, False),
        ({"access": "ready", "status": "Running"}, {"reached": True, "failed": True}, True),
        ({"access": "ready", "status": "Running"}, {}, True),  # it does not answer
        ({"access": "pending", "status": "Running"}, {}, True),  # no session was established
        ({"access": "refused", "status": "Running"}, {}, True),  # another host key on the same disk
        ({"access": "pending", "status": "SystemUpdating"}, {}, False),  # HyperPod is updating it
        ({"access": "would_gain", "status": "Running"}, {}, False),  # check mode before any run
        (None, {}, False),  # outside this run
    ],
)
def test_a_node_that_the_run_could_not_configure_has_failed(access: t.Any, run: dict[str, t.Any], failed: bool) -> None:
    cluster = {"ready": True, "node_access": {} if access is None else {"i-1": access}}
    (node,) = fleet.of(variables("ml", **{"ml": cluster, "ml-i-1": run})).login_nodes
    assert node.failed is failed


@pytest.mark.parametrize(
    ("account", "key"),
    [
        ({"user": "ops", "key": "ssh-ed25519 A"}, "ssh-ed25519 A"),
        ({"user": "", "key": "ssh-ed25519 A"}, "ssh-ed25519 A"),  # the run gains no access
        ({"user": "other", "key": "ssh-ed25519 A"}, ""),
        ({}, ""),
    ],
)
def test_the_operations_key_belongs_to_the_account(account: dict[str, str], key: str) -> None:
    assert fleet.operations_key({"access_account": account} if account else {}, "ops") == key


@pytest.mark.parametrize("names", [[], ["hyperpod_nodes"], ["cluster_all"], ["cluster_ml", "cluster_b"]])
def test_no_cluster_or_several_are_refused(names: list[str]) -> None:
    with pytest.raises(fleet.NoCluster, match="name no cluster"):
        fleet.cluster_host(names, GROUPS)


@pytest.mark.parametrize(("host", "cluster"), [("ml-i-1", "ml"), ("b-i-4", "b"), ("ml", "ml")])
def test_a_host_belongs_to_the_cluster_of_its_group(host: str, cluster: str) -> None:
    names = [name for name, members in GROUPS.items() if host in members]
    assert fleet.cluster_host(names, GROUPS) == cluster


def test_an_equally_named_group_is_no_cluster() -> None:
    """A user may add a node of one cluster to the group of another cluster's host."""
    groups = {**GROUPS, "team": ["b", "ml-i-1"]}
    assert fleet.cluster_host(["cluster_ml", "node_type_login", "team"], groups) == "ml"
    with pytest.raises(fleet.NoCluster, match="name no cluster"):
        fleet.cluster_host(["team"], groups)
