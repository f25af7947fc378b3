"""Groups get new software by the playbook, while people and jobs are at work: told before, and nothing is lost."""

from __future__ import annotations

import pytest
from harness import World
from steps import step
from work import jobs, slurm_state

pytestmark = pytest.mark.slow
QUICK = ("-e", "drain_reason=security update", "-e", "drain_settle=0")


def update(world: World, groups: str, *arguments: str):
    return world.playbook("update_software", "-e", f"update_groups={groups}", *QUICK, *arguments)


@pytest.fixture
def newer(ready: World):
    """What gives AWS another image."""
    yield lambda version: ready.settings(image_release_version=version)
    ready.settings(image_release_version="1.0.0")


def test_login_and_compute_groups_get_new_software(ready: World, newer):
    worker, login = ready.hosts("worker-group-1")[0], ready.login_nodes()
    with step("nothing to do"):
        ready.reset_calls()
        same = update(ready, "worker-group-1")
        assert same.rc == 0 and ready.calls(mutating=True) == [], same.told
        assert "have the software already" in " ".join(same.cluster()["notes"])

    newer("1.0.1")
    ready.login("alice", "echo kept >~/note")
    with step("somebody at work is told, and nothing is updated while they stay"):
        left = ready.login("bob", "nohup sleep 600 >/dev/null 2>&1 & echo left")
        assert left.stdout.strip() == "left"
        waited = update(ready, "login-group", "-e", "drain_timeout=3")
        assert waited.rc == 2 or waited.status in ("degraded", "failed"), waited.told
        assert "still has sessions after" in waited.told
        assert {node["instance_id"] for node in ready.login_nodes()} == {node["instance_id"] for node in login}

    with step("both groups"):
        done = update(ready, "login-group,worker-group-1", "-e", "drain_timeout=30", "-e", "drain_force=true")
        assert done.rc == 0, done.told
        described = ready.aws("sagemaker").describe_cluster(ClusterName="ml")["InstanceGroups"]
        versions = {each["InstanceGroupName"]: each.get("CurrentImageReleaseVersion") for each in described}
        assert versions["login-group"] == versions["worker-group-1"] == "1.0.1", versions

    with step("people are back, with what they had, and work goes on"):
        ready.expect_all_serve()
        assert ready.login("alice", "cat ~/note").stdout.strip() == "kept"
        assert slurm_state(ready, worker["name"]) == "idle" and jobs(ready) == []

    with step("again there is nothing to do"):
        ready.reset_calls()
        again = update(ready, "login-group,worker-group-1")
        assert again.rc == 0 and ready.calls(mutating=True) == [], again.told


def test_what_aws_rolls_back_leaves_the_nodes_drained_until_it_is_run_again(ready: World, newer):
    newer("1.0.2")
    worker = ready.hosts("worker-group-1")[0]
    ready.settings(software_update="rolls_back")
    try:
        failed = update(ready, "worker-group-1", "-e", "drain_timeout=30")
    finally:
        ready.settings(software_update="succeeds")
    assert failed.rc == 2 and "stay drained. Once the cause is gone run it again" in failed.told, failed.told
    assert slurm_state(ready, worker["name"]) in ("drained", "draining")
    done = update(ready, "worker-group-1", "-e", "drain_timeout=30")
    assert done.rc == 0, done.told
    assert slurm_state(ready, worker["name"]) == "idle"


def test_the_controller_is_refused(ready: World):
    ready.reset_calls()
    refused = update(ready, "controller-machine")
    assert refused.rc == 2 and "update_groups: " in refused.told and ready.calls(mutating=True) == []
