# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new user reaches two clusters in two waves. Meanwhile, the timer leaves the second one unchanged. Also in a workflow of AWX, and
nodes of both clusters are replaced in waves."""

from __future__ import annotations

import functools
import json
import typing as t
from pathlib import Path

import pytest
from awx_place import FOLDER, SCM_URL, build, complete, job_environment
from harness import HOME, Run, World
from lab.awx.server import running
from lab.cli import world as lab_world
from steps import step

pytestmark = pytest.mark.slow

CANARY = "two"
FILE = HOME / "shared_users.txt"
ROLLOUT = {"rollout": "carol", "rollout_verb": "login_access", "rollout_home_region": "us-west-2", "rollout_home_profile": "lab"}
WAVES = {"rollout_waves": [{"clusters": [CANARY]}, {"approval": True}]}
NEW = {"hyperpod_users_files": [str(FILE)]}


@pytest.fixture(scope="module")
def ready() -> World:
    """Two clusters whose login access is set up, and the file with the new user, which no run has read yet."""
    world = World()
    world.reset(login=2, compute=1)
    lab_world.create_cluster(CANARY, world.subnets(), world.node_security_group(), login=1, compute=1)
    lab_world.wait_in_service(CANARY)
    run = world.playbook("login_access")
    assert run.rc == 0, run.log
    FILE.write_text("carol,20003,/fsx/carol\n")
    return world


def rollout(world: World, *arguments: str, **variables: t.Any) -> Run:
    return world.playbook("rollout", "-e", json.dumps({**ROLLOUT, **WAVES, **NEW, **variables}), *arguments)


def line(run: Run, name: str = "carol") -> str:
    return [each for each in run.output.split("\n") if each.startswith(f"Rollout {name}: ")][-1]


def cluster_of(world: World, key: str) -> str:
    arn: str = world.aws("sagemaker").describe_cluster(ClusterName=key)["ClusterArn"]
    return arn.rpartition("/")[2]


def with_user(world: World, user: str = "carol") -> dict[str, int]:
    """The number of nodes of each cluster that have the new user."""
    ids = {cluster_of(world, key): key for key in ("ml", CANARY)}
    counts = dict.fromkeys(ids.values(), 0)
    for node in world.hosts():
        found = world.on_node(node["name"], "getent", "-s", "files", "passwd", user).returncode == 0
        counts[ids[node["cluster_id"]]] += found
    return counts


def reached(world: World, node: str) -> None:
    """Log in through the name of the cluster until a login lands on the node."""
    assert any(world.login().stdout.strip() == node for _turn in range(20))


def test_a_new_user_reaches_the_clusters_in_waves(ready: World) -> None:
    with step("check mode shows the first wave and changes nothing"):
        ready.reset_calls()
        foreseen = rollout(ready, "--check", "--diff")
        assert foreseen.rc == 10 and [call for call in ready.calls(mutating=True) if call["operation"] != "StartSession"] == [], foreseen.log
        assert "Wave 1 of 2: login_access runs for two." in line(foreseen)
    with step("the first wave"):
        first = rollout(ready)
        assert first.rc == 10, first.log
        assert line(first).startswith("Rollout carol: wave 1: two done. Wave 2 waits: it needs an approval."), line(first)
        assert with_user(ready) == {"ml": 0, CANARY: 3}

    with step("a node of the second cluster is replaced, and the timer leaves the cluster unchanged"):
        ours = cluster_of(ready, "ml")
        node = next(each for each in ready.login_nodes() if each["cluster_id"] == ours)
        new = ready.replace(node["instance_id"])["name"]
        ready.reset_calls()
        timer = ready.playbook("reconcile", "-e", json.dumps(NEW), "-e", "hyperpod_only=ml")
        assert [call["operation"] for call in ready.calls(mutating=True)] == [], timer.log
        assert timer.cluster()["status"] == "degraded" and "waits for wave 2 of rollout carol" in timer.output, timer.log
        assert with_user(ready) == {"ml": 0, CANARY: 3}

    with step("the second wave, after its approval"):
        plan = line(first).rpartition("rollout_confirm=")[2].rstrip(".")
        second = rollout(ready, rollout_action="approve", rollout_confirm=plan)
        assert second.rc == 0 and line(second) == "Rollout carol: wave 2: ml done. All 2 waves have ended.", second.log
        assert with_user(ready) == {"ml": 4, CANARY: 3}
        ready.eventually(lambda: reached(ready, new), seconds=120)

    with step("the timer has nothing to do, and the rollout is done"):
        timer = ready.playbook("reconcile", "-e", json.dumps(NEW))
        assert timer.rc == 0 and {each["status"] for each in timer.report["clusters"].values()} == {"unchanged"}, timer.log
        ready.reset_calls()
        done = rollout(ready)
        assert done.rc == 0 and ready.calls(mutating=True) == [] and line(done) == "Rollout carol: All 2 waves have ended.", done.log


def test_a_workflow_of_awx_runs_the_waves_with_an_approval_between_them(ready: World, tmp_path: Path) -> None:
    FILE.write_text("carol,20003,/fsx/carol\ndave,20004,/fsx/dave\n")
    declared = {"awx_rollouts": [{"name": "dave", "verb": "login_access", "waves": [{"clusters": [CANARY]}, {}]}]}
    project = tmp_path / "repository"
    made = ready.playbook("awx", "-e", json.dumps({"awx_project_dir": str(project), **declared}))
    assert made.rc == 0, made.output
    complete(project, tmp_path / "store")
    home = {name: value for name, value in ROLLOUT.items() if name.startswith("rollout_home")}
    (project / "group_vars/all/rollout.yml").write_text(json.dumps({**home, **NEW}))
    with running(FOLDER, {SCM_URL: project}, environment=job_environment()) as awx:
        olga = build(ready, awx, tmp_path, "rollout", **declared)
        with step("the first wave, and the approval of the second one"):
            job = olga.launch("rollout dave", "workflow_job_template")
            approval = olga.approval(job, "approve dave wave 2")
            first = olga.jobs_of(job)["rollout dave wave 1"]
            assert approval is not None and first["status"] == "successful", olga.output(first)
            assert "Rollout dave: wave 1: two done. Wave 2 waits: it needs an approval." in olga.output(first)
            assert with_user(ready, "dave") == {"ml": 0, CANARY: 3}
        with step("the second wave"):
            olga.approve(approval)
            assert olga.ended(job) == "successful", olga.output(olga.jobs_of(job)["rollout dave wave 2"])
            assert with_user(ready, "dave") == {"ml": 4, CANARY: 3}
        with step("the workflow again: all waves have ended, so its jobs change nothing"):
            ready.reset_calls()
            again = olga.launch("rollout dave", "workflow_job_template")
            approval = olga.approval(again, "approve dave wave 2")
            assert approval is not None, {name: olga.output(each) for name, each in olga.jobs_of(again).items()}
            olga.approve(approval)
            assert olga.ended(again) == "successful" and [each["operation"] for each in ready.calls(mutating=True)] == []
        assert awx.problems == []


def test_nodes_are_replaced_in_the_waves_of_their_clusters(ready: World) -> None:
    ours, ids = cluster_of(ready, "ml"), {each["cluster_id"]: each["instance_id"] for each in ready.hosts("worker-group-1")}
    login = next(each for each in ready.login_nodes() if each["cluster_id"] == ours)
    names = [*ids.values(), login["instance_id"]]

    def replace(*more: str, **variables: t.Any) -> Run:
        how = {"rollout": "parts", "rollout_verb": "replace_nodes", "replace_nodes": [*names, *more], "drain_settle": 0}
        return rollout(ready, **{**how, "drain_reason": "ticket", **variables})

    with step("a node that no cluster has is refused"):
        ready.reset_calls()
        refused = replace("i-00000000000000000")
        assert refused.rc == 2 and "No cluster that the playbook replace_nodes supports has node i-00000000000000000." in refused.output, refused.log
        assert [call for call in ready.calls(mutating=True) if call["operation"] != "StartSession"] == []
    with step("the first wave has a node of one cluster"):
        first = replace()
        assert first.rc == 10 and line(first, "parts").startswith("Rollout parts: wave 1: two done. Wave 2 waits:"), first.log
        left = {each["instance_id"] for each in ready.hosts()}
        assert ids[ours] in left and len(left & set(ids.values())) == 1
    with step("of the second wave, HyperPod has already replaced a node"):
        ready.replace(login["instance_id"])
        plan = line(first, "parts").rpartition("rollout_confirm=")[2].rstrip(".")
        second = replace(rollout_action="approve", rollout_confirm=plan)
        assert second.rc == 0 and line(second, "parts") == "Rollout parts: wave 2: ml done. All 2 waves have ended.", second.log
        assert "No longer in the inventory, for example because they were replaced: nodes i-" in second.output
        assert not {each["instance_id"] for each in ready.hosts()} & set(names)
        for node in {each["name"] for each in ready.login_nodes() if each["cluster_id"] == ours}:
            ready.eventually(functools.partial(reached, ready, node), seconds=120)
