"""Groups get new software by the playbook, while people and jobs are at work: told before, and nothing is lost."""

from __future__ import annotations

import pytest
from harness import World
from lab.cli import world as lab_world
from mishaps import Started, held, release, run_until
from steps import step
from work import controller, jobs, shell, slurm_state, submit, until_no_job

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


def test_a_controller_gets_new_software_and_keeps_queue_and_accounts(ready: World, newer):
    newer("1.0.3")
    node, worker = controller(ready), ready.hosts("worker-group-1")[0]["name"]
    for entry in ("account research", "user alice account=research"):
        ready.on_node(node, "sacctmgr", "--immediate", "add", *entry.split())
    with step("a job runs, another one waits"):
        submit(ready, worker, 25)
        held = shell(ready, node, "cd /tmp && sbatch --parsable --hold -J kept -o /dev/null --wrap true", "alice").stdout.strip()
        assert held.isdigit(), held
    with step("what would be done"):
        ready.reset_calls()
        would = update(ready, "controller-machine", "--check", "--diff")
        assert would.rc == 0 and ready.calls(mutating=True) == [], would.told
        assert "jobs and nodes and accounting saved in /fsx/.hyperpod_slurm_state/" in would.output, would.output
        assert ready.on_node(node, "systemctl", "is-active", "slurmctld").stdout.strip() == "active"
    with step("the update"):
        done = update(ready, "controller-machine", "-e", "drain_timeout=120")
        assert done.rc == 0, done.told
    with step("the queue goes on, and accounting knows what was before"):
        assert slurm_state(ready, worker) == "idle"
        queued = ready.on_node(node, "squeue", "--noheader", "--format=%i %j %u").stdout.split("\n")[0]
        assert queued.split() == [held, "kept", "alice"], queued
        known = ready.on_node(node, "sacct", "--noheader", "--allusers", "--allocations", "--format=State", "--starttime=now-1hours")
        assert "COMPLETED" in known.stdout, known.stdout
        assert "research" in ready.on_node(node, "sacctmgr", "--noheader", "show", "associations", "format=account,user").stdout
        assert ready.on_node(node, "scontrol", "release", held).returncode == 0
        until_no_job(ready)
    with step("nothing waits, and again there is nothing to do"):
        ready.reset_calls()
        again = update(ready, "controller-machine")
        assert again.rc == 0 and ready.calls(mutating=True) == [], again.told
        same = ready.playbook("reconcile", "--tags", "sweep")
        assert same.rc == 0 and same.changed == 0, same.told


def test_where_aws_does_not_begin_slurm_runs_on(ready: World, newer):
    newer("1.0.4")
    ready.fault(kind="deny", operation="UpdateClusterSoftware")
    try:
        failed = update(ready, "controller-machine", "-e", "drain_timeout=30")
    finally:
        ready.clear_faults()
    assert failed.rc == 2 and "stay drained" in failed.told, failed.told
    assert ready.on_node(controller(ready), "systemctl", "is-active", "slurmctld").stdout.strip() == "active"
    assert waiting(ready) == []
    done = update(ready, "controller-machine", "-e", "drain_timeout=30")
    assert done.rc == 0 and waiting(ready) == [], done.told


def test_reconcile_puts_back_what_a_killed_run_has_saved(ready: World, newer):
    """It was killed once AWS had begun: the disk is blank, and nobody has put anything back."""
    newer("1.0.6")
    node = controller(ready)
    job = shell(ready, node, "cd /tmp && sbatch --parsable --hold -J kept -o /dev/null --wrap true", "alice").stdout.strip()
    ready.fault(kind="hold", operation="UpdateClusterSoftware")
    run = Started(ready, "update_software", "-e", "update_groups=controller-machine", *QUICK)
    assert run_until(run, lambda: bool(held(ready)))
    run.kill()
    release(ready)
    assert len(waiting(ready)) == 1
    lab_world.wait_in_service(lab_world.CLUSTER)
    done = ready.playbook("reconcile")
    assert done.rc == 0 and waiting(ready) == [], done.told
    assert ready.on_node(node, "squeue", "--noheader", "--format=%i").stdout.split() == [job]
    worker = ready.hosts("worker-group-1")[0]["name"]
    assert slurm_state(ready, worker) == "drained"
    again = update(ready, "controller-machine")
    assert again.rc == 0 and slurm_state(ready, worker) == "idle", again.told


def waiting(world: World) -> list[str]:
    """What was saved and not put back, as SlurmUser: root is nobody there."""
    folder = f"/fsx/.hyperpod_slurm_state/{world.hosts()[0]['cluster_id']}"
    return shell(world, controller(world), f"ls -d {folder}/sav* 2>/dev/null; true", "slurm").stdout.split()
