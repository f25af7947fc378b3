# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters and nodes in a run."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays import fleet

GROUPS = {
    "hyperpod_clusters": ["ml", "b-2", "c"],
    "cluster_ml": ["ml", "n1", "n2"],
    "cluster_b_2": ["b-2"],
    "node_type_login": ["n1"],
}


@pytest.mark.parametrize(
    ("looks", "pattern"),
    [
        ({"ml": {"quiet": True}, "b-2": {"quiet": False}}, ":!cluster_ml"),
        ({"ml": {"quiet": True}, "b-2": {"quiet": True}}, ":!cluster_ml:!cluster_b_2"),
        ({"ml": None, "b-2": {}}, ""),
        ({}, ""),
    ],
)
def test_clusters_without_changes_are_left_alone(looks: dict[str, t.Any], pattern: str) -> None:
    hostvars: dict[str, dict[str, t.Any]] = {
        host: {"hyperpod_cluster_group": f"cluster_{host.replace('-', '_')}"} for host in GROUPS["hyperpod_clusters"]
    }
    for host, look in looks.items():
        hostvars[host]["hyperpod_look"] = look
    assert fleet.unchanged({"groups": GROUPS, "hostvars": hostvars}) == pattern


@pytest.mark.parametrize("variables", [{"groups": GROUPS}, {"groups": {}, "hostvars": {}}])
def test_before_the_first_play_hosts_have_no_state(variables: dict[str, t.Any]) -> None:
    assert fleet.unchanged(variables) == ""


@pytest.mark.parametrize(("host", "is_login"), [("n1", True), ("n2", False)])
def test_the_type_of_a_node_follows_from_its_groups(host: str, is_login: bool) -> None:
    own = {"hyperpod_cluster_host": "c", "hyperpod_node_type": "login"}
    found = fleet.node({"groups": GROUPS, "group_names": ["cluster_ml"], "inventory_hostname": host, **own})
    assert (found.cluster_host, found.is_login) == ("ml", is_login)


@pytest.mark.parametrize(
    ("cluster", "reached", "due"),
    [
        ({}, True, True),
        ({"login_service": {"in_service": ["i-1", "i-2"]}}, True, True),
        ({"login_service": {"in_service": ["i-1"]}}, True, False),  # the only one in service
        ({"login_service": {"in_service": []}}, True, False),
        ({"failed_login_nodes": []}, True, False),
        ({"writing": False}, True, False),
        ({}, False, False),
    ],
)
def test_a_failed_login_node_closes_if_another_one_serves(cluster: dict[str, t.Any], reached: bool, due: bool) -> None:
    run = {"writing": True, "failed_login_nodes": ["i-1"], **cluster}
    known = {"groups": GROUPS, "group_names": ["cluster_ml"], "inventory_hostname": "n1", "hyperpod_instance_id": "i-1"}
    given = {**known, "hostvars": {"ml": {"hyperpod_run": run}}, "hyperpod_run": {"reached": reached}}
    assert fleet.out_due(given) is due


def test_without_login_nodes_no_node_is_a_login_node() -> None:
    groups = {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", "n1"]}
    assert fleet.node({"groups": groups, "group_names": ["cluster_ml"], "inventory_hostname": "n1"}).is_login is False


def test_chosen_nodes_have_ids_in_their_order() -> None:
    hostvars = {"n1": {"hyperpod_instance_id": "i-1"}, "n2": {"hyperpod_instance_id": "i-2"}}
    found = fleet.drain({"hyperpod_run": {"chosen_nodes": ["n2", "n1"]}, "hostvars": hostvars})
    assert (found.chosen, found.instance_ids) == (["n2", "n1"], ["i-2", "i-1"])


@pytest.mark.parametrize("variables", [{}, {"hyperpod_run": {}}, {"hyperpod_run": {"chosen_nodes": []}}])
def test_an_empty_selection_is_accepted(variables: dict[str, t.Any]) -> None:
    found = fleet.drain({**variables, "hostvars": {}})
    assert (found.chosen, found.instance_ids) == ([], [])


@pytest.mark.parametrize(
    ("host", "with_access", "reporting"),
    [("ml", ["b-2"], True), ("ml", ["ml", "b-2"], True), ("b-2", ["b-2"], False), ("ml", [], False), ("ml", ["c"], False)],
)
def test_one_host_reports_for_all(host: str, with_access: list[str], reporting: bool) -> None:
    hostvars = {each: {"hyperpod_run": {"vpn_access": {}}} if each in with_access else {} for each in GROUPS["hyperpod_clusters"]}
    playing = ["ml", "b-2"]
    assert fleet.vpn_reporting({"inventory_hostname": host, "ansible_play_hosts": playing, "hostvars": hostvars}) is reporting


MAINTAINED = {
    "hyperpod_clusters": ["ml"],
    "cluster_ml": ["ml", "head", "head2", "in", "work"],
    "node_type_controller": ["other", "head", "head2"],
    "node_type_login": ["in"],
}


def of_play(host: str, **run: t.Any) -> dict[str, t.Any]:
    hostvars = {"ml": {"hyperpod_cluster_group": "cluster_ml", "hyperpod_run": run}, "in": {"hyperpod_instance_id": "i-1"}}
    return {"groups": MAINTAINED, "group_names": ["cluster_ml"], "inventory_hostname": host, "hostvars": hostvars, "hyperpod_run": run}


@pytest.mark.parametrize(
    ("host", "group"), [("head", "hyperpod_slurm"), ("head2", ""), ("in", "hyperpod_draining"), ("work", ""), ("ml", "")]
)
def test_the_first_controller_queries_slurm_and_chosen_login_nodes_are_drained(host: str, group: str) -> None:
    assert fleet.turn_group(of_play(host, ready=True, chosen_nodes=["in", "work"])) == group
    assert fleet.turn_group(of_play(host, chosen_nodes=["in", "work"])) == ""
    unchosen = fleet.turn_group(of_play(host, ready=True, chosen_nodes=["work"]))
    assert unchosen == (group if group == "hyperpod_slurm" else "")


def test_required_login_nodes_stay_in_service() -> None:
    left = {"ready": True, "chosen_nodes": ["in"], "needed_nodes": ["i-1"]}
    assert fleet.turn_group(of_play("in", **left)) == ""
    assert fleet.maintained(of_play("ml", **left)) == fleet.Maintained([], [])
    assert fleet.turn_group(of_play("in", **{**left, "needed_nodes": ["i-2"]})) == "hyperpod_draining"
    assert fleet.turn_group(of_play("in", **{**left, "needed_nodes": [], "up_to_date": True})) == ""


def test_maintained_login_nodes_are_selected() -> None:
    found = fleet.maintained(of_play("ml", chosen_nodes=["in", "work", "gone"]))
    assert (found.login_ids, found.undrained) == (["i-1"], [])
    assert fleet.maintained(of_play("ml")) == fleet.Maintained([], [])


@pytest.mark.parametrize(
    ("maintained", "emptied", "back"), [(True, True, True), (True, False, False), (False, True, False), (None, None, False)]
)
def test_only_updated_login_nodes_return_to_service(
    maintained: bool | None, emptied: bool | None, back: bool
) -> None:
    """Users still have sessions on them, or other nodes have jobs."""
    play = of_play("ml", chosen_nodes=["in"], **({} if maintained is None else {"maintained": maintained}))
    play["hostvars"]["in"]["hyperpod_run"] = {} if emptied is None else {"emptied": emptied}
    assert fleet.maintained(play).undrained == (["in"] if back else [])


def test_login_nodes_of_current_groups_are_left_out() -> None:
    assert fleet.maintained(of_play("ml", chosen_nodes=["in"], up_to_date=True)) == fleet.Maintained([], [])


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({}, True),
        ({"accelerator_health_slurm_check": "false", "accelerator_health_prolog": "yes"}, True),
        ({"accelerator_health_slurm_check": "false"}, False),
        ({"hyperpod_run": {}}, False),
        ({"hyperpod_run": None}, False),
        ({"writing": False}, False),
        ({"writing": False, "ansible_check_mode": True}, True),
    ],
)
def test_slurm_requests_cover_the_nodes_that_a_run_changes(values: dict[str, t.Any], wanted: bool) -> None:
    cluster = {"hyperpod_run": {"writing": values.get("writing", True)}}
    node = {"ansible_check_mode": False, "hyperpod_run": {"reached": True}, "accelerator_health_slurm_check": True, **values}
    found = fleet.hooks_wanted({"groups": GROUPS, "group_names": ["cluster_ml"], "hostvars": {"ml": cluster}, **node})
    assert found == wanted


@pytest.mark.parametrize(
    ("run", "planned", "made"),
    [
        (None, False, False),
        ({"repairs": []}, False, False),
        ({"repairs": [{"node": "i-1"}], "repaired": []}, True, False),
        ({"repairs": [{"node": "i-1"}], "repaired": ["i-1"]}, True, True),
    ],
)
def test_the_progress_of_repairs_is_recognised(run: t.Any, planned: bool, made: bool) -> None:
    known = {"groups": GROUPS, "group_names": ["cluster_ml"], "hostvars": {"ml": {"hyperpod_run": run}}}
    found = [fleet.repairs({**known, "inventory_hostname": host}) for host in ("ml", "n1")]
    assert found == [fleet.Repairs(planned, made)] * 2
