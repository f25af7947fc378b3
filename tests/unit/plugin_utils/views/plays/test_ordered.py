# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a playbook are checked before its roles have their defaults."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays import ordered

SLURM, EKS = "orchestrator_slurm", "orchestrator_eks"


def run(orchestrator: str = SLURM, **given: t.Any) -> dict[str, t.Any]:
    """Variables of the host of ``ml``, which has a login node and a compute node."""
    nodes = {
        "ml-1": {"hyperpod_instance_id": "i-1", "hyperpod_instance_group": "login", "hyperpod_cluster_group": "cluster_ml"},
        "ml-2": {"hyperpod_instance_id": "i-2", "hyperpod_instance_group": "work", "hyperpod_cluster_group": "cluster_ml"},
    }
    groups = {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", *nodes], "hyperpod_nodes": [*nodes], "node_type_login": ["ml-1"], SLURM: ["ml", *nodes]}
    own = {"hyperpod_cluster_group": "cluster_ml", "group_names": ["cluster_ml", orchestrator], "inventory_hostname": "ml", **given}
    clusters = ["ml", "pods"] if "topology_job_cluster" in given else ["ml"]
    hostvars = {"ml": own, "pods": {}, **nodes}
    return {**own, "groups": groups, "hostvars": hostvars, "ansible_play_hosts": clusters, "ansible_play_hosts_all": clusters}


def assert_begin(findings: list[dict[str, str]], beginnings: list[str]) -> None:
    """``beginnings``: the beginning of each text."""
    texts = [each["text"] for each in findings]
    assert len(texts) == len(beginnings) and all(text.startswith(begin) for text, begin in zip(texts, beginnings)), texts


def test_roles_of_login_access_require_slurm() -> None:
    assert "login_balancer" in ordered.login_access_roles(run()) and ordered.login_access_roles(run(EKS)) == []


@pytest.mark.parametrize(
    ("given", "beginnings"),
    [
        ({"drain_nodes": "i-1", "drain_reason": "kernel"}, []),
        ({}, ["drain_nodes: missing", 'drain_reason: "" is not allowed']),
        ({"drain_nodes": "i-2", "drain_reason": "kernel", "drain_force": "perhaps"}, ["drain_nodes: i-2 is not allowed"]),
    ],
)
def test_a_drain_is_checked(given: dict[str, t.Any], beginnings: list[str]) -> None:
    """A value of a wrong type is reported by the validation of the role."""
    assert_begin(ordered.ordered_drain(run(**given)).refusals, beginnings)


@pytest.mark.parametrize(("given", "beginnings"), [({"undrain_nodes": ["i-1"]}, []), ({}, ["undrain_nodes: missing"])])
def test_an_undrain_is_checked(given: dict[str, t.Any], beginnings: list[str]) -> None:
    assert_begin(ordered.ordered_undrain(run(**given)).refusals, beginnings)


@pytest.mark.parametrize(
    ("by", "jobs", "names", "beginnings"),
    [
        ("replace_nodes", "wait", "i-2", []),
        ("replace_nodes", "kill", "", ["replace_nodes: missing", "replace_jobs: 'kill' is not allowed"]),
        ("update_groups", "refuse", "work", []),
        ("update_groups", "kill", "gpus", ["update_groups: gpus is not allowed: these clusters have no such", "update_jobs: 'kill' is not allowed"]),
    ],
)
def test_a_maintenance_is_checked(by: str, jobs: str, names: str, beginnings: list[str]) -> None:
    chosen = {"maintenance_nodes": names, "maintenance_groups": names}
    assert_begin(ordered.ordered_maintenance(run(maintenance_chosen_by=by, maintenance_jobs=jobs, **chosen)).refusals, beginnings)


def test_a_cluster_without_the_nodes_is_not_checked() -> None:
    """Its errors are no reason to skip the nodes of another cluster."""
    groups = {**run()["groups"], "hyperpod_clusters": ["ml", "b"], "cluster_ml": ["ml"], "cluster_b": ["b", "ml-1", "ml-2"]}
    hostvars = {name: {**own, "hyperpod_cluster_group": "cluster_b"} for name, own in run()["hostvars"].items() if name != "ml"}
    hostvars["b"] = {"hyperpod_cluster_group": "cluster_b"}
    apart = {"groups": groups, "hostvars": {**run()["hostvars"], **hostvars}, "ansible_play_hosts_all": ["ml", "b"]}
    by = {"maintenance_chosen_by": "replace_nodes", "maintenance_jobs": "wait", "maintenance_nodes": "i-2", "maintenance_groups": ""}
    found = [
        ordered.ordered_drain({**run(drain_nodes="i-1"), **apart}),
        ordered.ordered_undrain({**run(undrain_nodes="i-1"), **apart}),
        ordered.ordered_maintenance({**run(**by), **apart}),
    ]
    assert [each.refusals for each in found] == [[], [], []]
    assert [each.roles for each in found] == [["drain"], ["drain"], ["maintenance", "drain"]]
    assert "host_keys" in ordered.ordered_drain(run(drain_nodes="i-1")).roles and "login_nodes" in ordered.ordered_maintenance(run(**by)).roles


@pytest.mark.parametrize(
    ("given", "beginnings"),
    [
        ({"offboard_name": "eve"}, []),
        ({"offboard_name": "eve", "offboard_uid": "x"}, []),
        ({"offboard_uid": 5, "offboard_hooks": "/no/such.yml"}, ["offboard_name: ", "offboard_uid: 5 is not allowed", "offboard_hooks: /no/such"]),
        ({"offboard_name": "ops", "hyperpod_operations_user": "ops"}, ["offboard_name: 'ops' is not allowed"]),
    ],
)
def test_an_offboarding_is_checked(given: dict[str, t.Any], beginnings: list[str]) -> None:
    assert_begin(ordered.offboard_refusals(run(**given)), beginnings)


def test_a_removal_of_records_is_checked() -> None:
    assert_begin(ordered.forget_refusals(run()), ["forget_nodes: missing"])
    assert ordered.forget_refusals(run(forget_nodes="i-1")) == []


@pytest.mark.parametrize(
    ("orchestrator", "given", "beginnings"),
    [
        (EKS, {}, ["topology_job_manifest: exactly one of topology_job_manifest and topology_job_src must define the job"]),
        (EKS, {"topology_job_src": "JOB", "topology_job_layer": "3"}, ["topology_job_layer: '3' is not allowed"]),
        (EKS, {"topology_job_src": "/no/such", "topology_job_placement": "near"}, ["topology_job_src: /no/such can't be read: No such file or directory"]),
        (SLURM, {"topology_job_src": "JOB", "topology_job_name": "a", "topology_job_user": "eve"}, []),
        (SLURM, {"topology_job_cluster": "pods", "topology_job_team": "research"}, []),
        (SLURM, {"topology_job_cluster": "other"}, ["topology_job_cluster: 'other' is not allowed"]),
        (SLURM, {"topology_job_nodes": "many"}, ["topology_job_name: missing; ", "topology_job_user: missing; ", "topology_job_src: missing; "]),
    ],
)
def test_a_job_is_checked(tmp_path: Path, orchestrator: str, given: dict[str, t.Any], beginnings: list[str]) -> None:
    job = tmp_path / "job.yml"
    job.write_text("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n")
    assert_begin(ordered.submit_refusals(run(orchestrator, **{name: str(job) if value == "JOB" else value for name, value in given.items()})), beginnings)
