# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views of the role maintenance."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import maintenance as views

NODES = {"head": ("i-1", "top", "controller"), "in": ("i-2", "login", "login"), "w1": ("i-3", "work", ""), "w2": ("i-4", "work", "")}
GROUPS = {
    "hyperpod_clusters": ["ml", "b"],
    "cluster_ml": ["ml", *NODES],
    "cluster_b": ["b", "b1"],
    "node_type_controller": ["head"],
    "node_type_login": ["in"],
}
HOSTVARS: dict[str, dict[str, t.Any]] = {
    "ml": {"hyperpod_cluster_group": "cluster_ml"},
    "b": {"hyperpod_cluster_group": "cluster_b"},
    "b1": {"hyperpod_instance_id": "i-9", "hyperpod_instance_group": "work"},
    **{host: {"hyperpod_instance_id": iid, "hyperpod_instance_group": group} for host, (iid, group, _kind) in NODES.items()},
}


def variables(by: str, wanted: t.Any, **more: t.Any) -> dict[str, t.Any]:
    nodes, groups = (wanted, []) if by == "replace_nodes" else ([], wanted)
    return {
        "maintenance_nodes": nodes,
        "maintenance_groups": groups,
        "maintenance_chosen_by": by,
        "maintenance_version": "",
        "hyperpod_cluster_group": "cluster_ml",
        "ansible_play_hosts_all": ["ml", "b"],
        "groups": GROUPS,
        "group_names": ["cluster_ml"],
        "hostvars": HOSTVARS,
        **more,
    }


def test_nodes_are_chosen_by_id_and_by_host() -> None:
    found = views.chosen(variables("replace_nodes", "i-2,w1,b1"))
    assert found == views.Chosen([], ["in", "w1"], ["i-2", "i-3"], ["i-3"], ["login", "work"], [], {})


def test_node_types_are_those_of_the_cluster() -> None:
    declared = {"hyperpod_node_types": {"work": "compute"}}
    hostvars = {**HOSTVARS, "ml": {**HOSTVARS["ml"], **declared}}
    assert views.chosen(variables("replace_nodes", "w1", hostvars=hostvars, **declared)).node_types == {"work": "compute"}
    assert views.node(variables("replace_nodes", "w1", hostvars=hostvars)).node_types == {"work": "compute"}


def test_groups_are_chosen_by_name_in_each_cluster() -> None:
    found = views.chosen(variables("update_groups", ["work"]))
    assert (found.refusals, found.hosts, found.groups, found.work_ids) == ([], ["w1", "w2"], ["work"], ["i-3", "i-4"])
    there = views.chosen(variables("update_groups", ["work"], hyperpod_cluster_group="cluster_b"))
    assert there.hosts == ["b1"]


@pytest.mark.parametrize(
    ("by", "wanted", "shown"),
    [
        ("replace_nodes", "i-8", "replace_nodes: i-8 is not allowed: it is not a node of these clusters, or it is a controller. Allowed: in"),
        ("replace_nodes", "i-1", "replace_nodes: head is not allowed"),
        ("replace_nodes", [], "replace_nodes: missing. Allowed: instance IDs or hosts of nodes other than controllers, separated by commas: in"),
        ("update_groups", "i-2", "update_groups: i-2 is not allowed"),
        ("update_groups", "", "update_groups: missing. Allowed: instance groups with nodes, separated by commas: login"),
    ],
)
def test_controllers_and_unknown_names_are_refused(by: str, wanted: t.Any, shown: str) -> None:
    (refused,) = views.chosen(variables(by, wanted)).refusals
    assert refused["text"].startswith(shown)
    allowed = refused["text"].partition("Allowed: ")[2].rpartition(": ")[2]
    assert allowed == ("in, w1, w2, b1." if by == "replace_nodes" else "login, top, work.")


def test_an_update_of_the_controller_drains_all_nodes() -> None:
    chosen = views.chosen(variables("update_groups", "top"))
    assert (chosen.refusals, chosen.hosts, chosen.controllers) == ([], ["head"], ["head"])
    rows = [{"instance_id": iid, "ip": f"10.0.0.{iid[-1]}"} for iid in ("i-1", "i-2", "i-3")]
    found = views.addresses(variables("update_groups", "top", __maintenance_nodes={"nodes": rows}))
    assert found == ["10.0.0.1", "10.0.0.3"]  # no jobs run on login nodes


@pytest.mark.parametrize("host", ["ml", "head"])
def test_each_cluster_has_its_own_folder_for_the_state_of_slurm(host: str) -> None:
    hostvars = {**HOSTVARS, "ml": {**HOSTVARS["ml"], "hyperpod_cluster_arn": "arn:aws:sagemaker:us-west-2:1:cluster/abc"}}
    saved = {"results": [{"item": "head", "slurm_state": {}}, {"item": "other", "unreachable": True}]}
    more = {"hostvars": hostvars, "inventory_hostname": host, "maintenance_slurm_state_folder": "/fsx/.state"}
    assert views.slurm_state(variables("update_groups", "top", **more)) == views.SlurmState("/fsx/.state/abc", [], "")
    assert views.slurm_state(variables("update_groups", "top", **more, __maintenance_saved=saved)).unsaved == ["other"]


@pytest.mark.parametrize(
    ("answer", "unseen"),
    [
        ({"slurm_state": {"unseen": "no folder"}}, "no folder"),
        ({"slurm_state": {}}, ""),
        ({"slurm_state": "anything"}, ""),
        ({}, ""),
        (None, ""),
    ],
)
def test_malformed_answers_of_a_controller_do_not_stop_a_run(answer: t.Any, unseen: str) -> None:
    hostvars = {**HOSTVARS, "ml": {**HOSTVARS["ml"], "hyperpod_cluster_arn": "arn:aws:sagemaker:us-west-2:1:cluster/abc"}}
    more = {"hostvars": hostvars, "inventory_hostname": "head", "maintenance_slurm_state_folder": "/fsx/.state"}
    assert views.slurm_state(variables("update_groups", "top", **more, __maintenance_restored=answer)).unseen == unseen


def test_addresses_are_those_of_the_chosen_nodes_that_have_one() -> None:
    rows = [{"instance_id": "i-3", "ip": "10.0.0.3"}, {"instance_id": "i-4", "ip": None}, {"instance_id": "i-2", "ip": "10.0.0.2"}]
    found = views.addresses(variables("update_groups", "work", __maintenance_nodes={"nodes": rows}))
    assert found == ["10.0.0.3"]


@pytest.mark.parametrize(
    ("jobs_ended", "empty", "work", "whole"),
    [(True, True, True, True), (True, False, True, False), (False, True, False, False), (None, True, False, False)],
)
def test_nodes_are_updated_once_they_are_idle(jobs_ended: bool | None, empty: bool, work: bool, whole: bool) -> None:
    hostvars = {**HOSTVARS, "in": {**HOSTVARS["in"], "hyperpod_run": {"emptied": empty}}}
    run = {} if jobs_ended is None else {"jobs_ended": jobs_ended}
    found = views.emptied(variables("replace_nodes", "in,w1", hostvars=hostvars, hyperpod_run=run))
    assert (found.work, found.whole, bool(found.pending)) == (work, whole, not whole)
    assert all(("stay drained" in each["text"]) == (jobs_ended is not None) for each in found.pending)
    assert views.emptied(variables("replace_nodes", "in,w1", hyperpod_run={"jobs_ended": True})).whole is False


def test_login_nodes_kept_in_service_are_left_for_the_next_run() -> None:
    run = {"jobs_ended": True, "needed_nodes": ["i-2"]}
    found = views.emptied(variables("replace_nodes", "in,w1", hyperpod_run=run))
    assert (found.work, found.whole, found.pending) == (True, True, [])
    (left,) = found.left
    assert (left["kind"], left["code"]) == ("pending", "maintenance-next")
    assert left["text"].startswith("The replacement of i-2 is left") and left["text"].endswith("set replace_nodes=i-2 and run again.")
    assert views.emptied(variables("replace_nodes", "in,w1", hyperpod_run={"jobs_ended": True})).left == []


@pytest.mark.parametrize(("access", "reached"), [("ready", True), ("gained", True), ("unproven", False)])
def test_a_controller_that_answers_is_queried(access: str, reached: bool) -> None:
    run: dict[str, t.Any] = {"maintained_addresses": ["10.0.0.3"], "node_access": {"i-1": {"access": access}}}
    hostvars = {**HOSTVARS, "ml": {**HOSTVARS["ml"], "hyperpod_run": run}}
    found = views.slurm(variables("replace_nodes", "w1", hostvars=hostvars, hyperpod_instance_id="i-1"))
    assert found == views.Slurm(["10.0.0.3"], [], reached, "ml", "replacement: ", saves=False, stays=False)
    run["up_to_date"] = True
    again = views.slurm(variables("update_groups", "work", hostvars=hostvars, hyperpod_instance_id="i-1"))
    assert (again.purpose, again.stays) == ("new software: ", True)


def test_only_configured_nodes_return_to_service() -> None:
    found = returning([("10.0.0.3", "i-3"), ("10.0.0.4", "i-4")], failed=["w2"])
    assert found.addresses == ["10.0.0.3"]
    assert [(each["kind"], each["code"]) for each in found.held] == [("pending", "maintenance-held")]
    assert found.held[0]["text"].startswith("i-4, 10.0.0.5 stay drained")


@pytest.mark.parametrize(
    ("listed", "failed", "moved"),
    [
        ([("10.0.0.3", "i-3"), ("10.0.0.6", "i-4")], (), True),
        ([("10.0.0.3", "i-3"), ("10.0.0.6", "i-4")], ("w2",), False),
        ([("10.0.0.3", "i-3"), ("", "i-4")], (), False),
        ([("10.0.0.3", "i-3"), ("10.0.0.6", "i-8")], (), False),
    ],
    ids=["configured", "failed", "address not known", "not in the inventory"],
)
def test_a_node_with_another_address_returns_if_all_are_configured(listed: list[tuple[str, str]], failed: t.Sequence[str], moved: bool) -> None:
    found = returning(listed, failed=failed, before=("10.0.0.3", "10.0.0.4"))
    assert found.addresses == ["10.0.0.3", *(["10.0.0.4"] if moved else [])]
    assert [each["text"].partition(" stay")[0] for each in found.held] == ([] if moved else ["10.0.0.4"])


def returning(
    listed: list[tuple[str, str]], *, failed: t.Sequence[str], before: t.Sequence[str] = ("10.0.0.3", "10.0.0.4", "10.0.0.5")
) -> views.Returning:
    run: dict[str, t.Any] = {"maintained_addresses": list(before), "writing": True}
    run["node_access"] = {iid: {"access": "gained", "status": "Running"} for _ip, iid in listed}
    hostvars = {**HOSTVARS, "ml": {**HOSTVARS["ml"], "hyperpod_run": run}}
    for host in ("w1", "w2"):
        hostvars[host] = {**HOSTVARS[host], "hyperpod_run": {"reached": True, "failed" if host in failed else "configured": True}}
    rows = {"nodes": [{"ip": ip, "instance_id": iid} for ip, iid in listed]}
    more = {"hostvars": hostvars, "hyperpod_run": run, "ansible_check_mode": False, "__maintenance_nodes": rows}
    return views.returning(variables("update_groups", "work", **more))


def test_a_controller_restores_only_the_recorded_state() -> None:
    run: dict[str, t.Any] = {"maintained_addresses": ["10.0.0.3", "10.0.0.4"], "node_access": {"i-1": {"access": "ready"}}}
    hostvars = {**HOSTVARS, "ml": {**HOSTVARS["ml"], "hyperpod_run": run}}
    assert views.slurm(variables("replace_nodes", "w1", hostvars=hostvars, hyperpod_instance_id="i-1")).resumed == []
    run["resumed_addresses"] = ["10.0.0.4"]
    assert views.slurm(variables("replace_nodes", "w1", hostvars=hostvars, hyperpod_instance_id="i-1")).resumed == ["10.0.0.4"]


@pytest.mark.parametrize(
    ("by", "chosen", "saves"), [("update_groups", "head", True), ("update_groups", "w1", False), ("replace_nodes", "head", False)]
)
def test_the_state_of_an_updated_controller_is_saved(by: str, chosen: str, saves: bool) -> None:
    run = {"maintained_addresses": [], "chosen_nodes": [chosen]}
    hostvars = {**HOSTVARS, "ml": {**HOSTVARS["ml"], "hyperpod_run": run}}
    assert views.slurm(variables(by, chosen, hostvars=hostvars, hyperpod_instance_id="i-1")).saves is saves


def test_the_version_is_passed_to_each_group() -> None:
    found = views.software(variables("update_groups", "work,login", maintenance_version="1.2.3"))
    assert found.groups == [{"name": name, "image_release_version": "1.2.3"} for name in ("login", "work")]
    assert views.software(variables("update_groups", "work")).groups == [{"name": "work"}]
    assert views.software(variables("update_groups", "work", __maintenance_software={"changes": [{}]})).changes
    assert not views.software(variables("update_groups", "work", __maintenance_software={"changes": []})).changes
    left_out = {"groups": [{"nodes_behind": ["i-3"]}, {"nodes_behind": []}]}
    (finding,) = views.software(variables("update_groups", "work", __maintenance_software=left_out)).behind
    assert "i-3 still run the previous software" in str(finding)
    assert views.software(variables("update_groups", "work", __maintenance_software={"groups": [{"nodes_behind": []}]})).behind == []


def test_the_permission_to_evict_pods_is_read() -> None:
    arn = "arn:aws:eks:us-west-2:111111111111:cluster/pods"
    run = {"hyperpod_run": {"cluster": {"eks_cluster_arn": arn}}}
    assert views.eviction(variables("update_groups", "work", **run)) == views.Eviction(False, "pods")
    permissions = {"allowed": True}
    assert views.eviction(variables("update_groups", "work", **run, __maintenance_permissions=permissions)).allowed


def test_eks_nodes_are_updated_by_group_only() -> None:
    groups = {**GROUPS, "orchestrator_eks": ["b", "b1"]}
    there = views.chosen(variables("update_groups", "work", groups=groups, hyperpod_cluster_group="cluster_b"))
    assert (there.refusals, there.hosts) == ([], ["b1"])
    assert views.chosen(variables("replace_nodes", "b1", groups=groups)).refusals
