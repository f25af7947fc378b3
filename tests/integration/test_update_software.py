"""The playbook updates the software of groups while people and jobs work: people are warned, and no work is lost."""

from __future__ import annotations

import datetime
import re

import pytest
from harness import World
from lab.cli import world as lab_world
from mishaps import Started, held, release, run_until
from sessions import Session, alias
from steps import step
from visitors import visitors
from work import accounted, begin, controller, jobs, shell, slurm_state, submit, until_no_job

QUICK = ("-e", "drain_reason=security update", "-e", "drain_settle=0")


def update(world: World, groups: str, *arguments: str):
    return world.playbook("update_software", "-e", f"update_groups={groups}", *QUICK, *arguments)


def started(world: World, groups: str, *arguments: str) -> Started:
    return Started(world, "update_software", "-e", f"update_groups={groups}", *QUICK, *arguments)


def minute(when: datetime.datetime) -> datetime.datetime:
    return when.replace(second=0, microsecond=0)


def assert_refused(world: World, node: dict) -> None:
    """Assert that the login node itself refuses a login, with the reason."""
    shown = world.login("bob", "true", node["ip"], *alias(world))
    assert shown.returncode == 255 and "All login nodes get new software" in shown.stdout, shown.stdout


@pytest.fixture
def newer(ready: World):
    """A function that sets the version of the newest image in AWS."""
    yield lambda version: ready.settings(image_release_version=version)
    ready.settings(image_release_version="1.0.0")


@pytest.mark.slow
def test_login_and_compute_groups_are_updated(ready: World, newer):
    worker, login = ready.hosts("worker-group-1")[0], ready.login_nodes()
    with step("nothing to do"):
        ready.reset_calls()
        same = update(ready, "worker-group-1")
        assert same.rc == 0 and ready.calls(mutating=True) == [], same.log
        assert "already run the requested software" in " ".join(same.cluster()["notes"])

    newer("1.0.1")
    ready.login("alice", "echo kept >~/note")
    at_work = [Session(ready, person, node) for person, node in zip(("alice", "bob"), login)]
    with step("people on each node get a deadline, and new logins are refused"):
        ready.reset_calls()
        began = datetime.datetime.now(datetime.timezone.utc)
        run = started(ready, "login-group", "-e", "drain_timeout=40")
        for session in at_work:
            shown = session.wait_for(run, "No session is terminated.")
            (until,) = re.findall(r"Please log out by (\d\d:\d\d UTC on \d{4}-\d\d-\d\d)\. The update waits until then", shown)
            assert "All login nodes get new software; log in again when they are back." in shown
            deadline = datetime.datetime.strptime(until, "%H:%M UTC on %Y-%m-%d").replace(tzinfo=datetime.timezone.utc)
            limit = datetime.timedelta(seconds=40)
            assert minute(began + limit) <= deadline <= minute(datetime.datetime.now(datetime.timezone.utc) + limit)
        assert_refused(ready, login[2])
        assert run.running()

    with step("after the deadline the update is postponed, sessions continue, and the nodes stay drained"):
        postponed = run.end()
        assert (postponed.rc, postponed.status) == (2, "degraded"), postponed.log
        pending = " ".join(postponed.cluster()["pending"])
        assert "Jobs or sessions remain on nodes of login-group" in pending, pending
        assert "alice (1 session since" in pending and "bob (1 session since" in pending, pending
        assert "UpdateClusterSoftware" not in {call["operation"] for call in ready.calls()}
        assert all("still here" in session.echo("still here") for session in at_work)
        assert ready.login("bob", "true").returncode == 255
        for node in login:
            assert_refused(ready, node)

    go = "/fsx/alice/go"
    job = begin(ready, worker["name"], f"until [ -e {go} ]; do sleep 0.2; done")
    with step("a group with a running job is refused"):
        ready.reset_calls()
        at_once = update(ready, "worker-group-1", "-e", "update_jobs=refuse")
        assert at_once.rc == 2 and "There are jobs on the nodes, and jobs=refuse is set: " in at_once.log, at_once.log
        assert ready.calls(mutating=True) == [] and slurm_state(ready, worker["name"]) == "mixed"

    with step("the run waits for the job, and people get the time at which their sessions end"):
        run = started(ready, "login-group,worker-group-1", "-e", "drain_timeout=60", "-e", "drain_force=true")
        assert run_until(run, lambda: slurm_state(ready, worker["name"]) == "draining")
        assert jobs(ready) == ["RUNNING 20001"]
        assert "UpdateClusterSoftware" not in {call["operation"] for call in ready.calls()}
        assert shell(ready, controller(ready), f"touch {go}", "alice").returncode == 0
        for session in at_work:
            shown = session.wait_for(run, "Sessions on this node will be terminated at ")
            assert re.search(r"will be terminated at \d\d:\d\d UTC on \d{4}-\d\d-\d\d\.", shown), shown
        done = run.end()
        assert done.rc == 0, done.log
        assert accounted(ready, job) == "COMPLETED"
        for session in at_work:
            session.process.wait(timeout=30)
        described = ready.aws("sagemaker").describe_cluster(ClusterName="ml")["InstanceGroups"]
        versions = {each["InstanceGroupName"]: each.get("CurrentImageReleaseVersion") for each in described}
        assert versions["login-group"] == versions["worker-group-1"] == "1.0.1", versions

    with step("people log in again, files are kept, and nodes take jobs"):
        ready.expect_all_serve()
        assert ready.login("alice", f"rm {go}").returncode == 0
        assert ready.login("alice", "cat ~/note").stdout.strip() == "kept"
        assert slurm_state(ready, worker["name"]) == "idle" and jobs(ready) == []

    with step("a second run changes nothing"):
        ready.reset_calls()
        again = update(ready, "login-group,worker-group-1")
        assert again.rc == 0 and ready.calls(mutating=True) == [], again.log


@pytest.mark.slow
def test_nodes_stay_drained_after_a_rolled_back_update_until_the_next_run(ready: World, newer):
    newer("1.0.2")
    worker = ready.hosts("worker-group-1")[0]
    ready.settings(software_update="rolls_back")
    try:
        failed = update(ready, "worker-group-1", "-e", "drain_timeout=30")
    finally:
        ready.settings(software_update="succeeds")
    assert failed.rc == 2 and "stay drained. Fix the cause and run again" in failed.log, failed.log
    assert slurm_state(ready, worker["name"]) in ("drained", "draining")
    done = update(ready, "worker-group-1", "-e", "drain_timeout=30")
    assert done.rc == 0, done.log
    assert slurm_state(ready, worker["name"]) == "idle"


@pytest.mark.slow
def test_an_updated_controller_keeps_queue_and_accounts(ready: World, newer):
    newer("1.0.3")
    node, worker = controller(ready), ready.hosts("worker-group-1")[0]["name"]
    for entry in ("account research", "user alice account=research"):
        ready.on_node(node, "sacctmgr", "--immediate", "add", *entry.split())
    with step("one job runs, another one is held"):
        submit(ready, worker, 25)
        held_job = shell(ready, node, "cd /tmp && sbatch --parsable --hold -J kept -o /dev/null --wrap true", "alice").stdout.strip()
        assert held_job.isdigit(), held_job
    with step("check mode reports the update"):
        ready.reset_calls()
        planned = update(ready, "controller-machine", "--check", "--diff")
        assert planned.rc == 0 and ready.calls(mutating=True) == [], planned.log
        assert "jobs and nodes and accounting saved in /fsx/.hyperpod_slurm_state/" in planned.output, planned.output
        assert ready.on_node(node, "systemctl", "is-active", "slurmctld").stdout.strip() == "active"
    with step("the update, while people work on login nodes and others log in"):
        alice = Session(ready, "alice", ready.login_nodes()[0])
        with visitors(ready, "bob") as people:
            done = update(ready, "controller-machine", "-e", "drain_timeout=120")
        assert done.rc == 0, done.log
        assert people.refused == [] and people.met_another_key == [], done.log
        assert "still here" in alice.echo("still here")
        alice.end()
    with step("the queue continues, and accounting has earlier jobs"):
        assert slurm_state(ready, worker) == "idle"
        queued = ready.on_node(node, "squeue", "--noheader", "--format=%i %j %u").stdout.split("\n")[0]
        assert queued.split() == [held_job, "kept", "alice"], queued
        listed = ready.on_node(node, "sacct", "--noheader", "--allusers", "--allocations", "--format=State", "--starttime=now-1hours")
        assert "COMPLETED" in listed.stdout, listed.stdout
        assert "research" in ready.on_node(node, "sacctmgr", "--noheader", "show", "associations", "format=account,user").stdout
        assert ready.on_node(node, "scontrol", "release", held_job).returncode == 0
        until_no_job(ready)
    with step("no saved state is left, and a second run changes nothing"):
        ready.reset_calls()
        again = update(ready, "controller-machine")
        assert again.rc == 0 and ready.calls(mutating=True) == [], again.log
        same = ready.playbook("reconcile", "--tags", "sweep")
        assert same.rc == 0 and same.changed == 0, same.log


@pytest.mark.slow
def test_a_shared_folder_without_write_access_is_refused_before_any_change(ready: World, newer):
    newer("1.0.5")
    node, worker, closed = controller(ready), ready.hosts("worker-group-1")[0]["name"], "/fsx/.closed"
    assert shell(ready, node, f"mkdir -m 500 {closed}", "slurm").returncode == 0
    ready.reset_calls()
    try:
        refused = update(ready, "controller-machine", "-e", f"maintenance_slurm_state_folder={closed}")
    finally:
        shell(ready, node, f"rmdir {closed}", "slurm")
    assert refused.rc == 2 and "Root or slurm must be able to write there" in refused.log, refused.log
    assert ready.calls(mutating=True) == [] and slurm_state(ready, worker) == "idle"
    assert ready.on_node(node, "systemctl", "is-active", "slurmctld").stdout.strip() == "active"
    ready.expect_all_serve()


@pytest.mark.slow
def test_slurm_continues_if_aws_does_not_start_the_update(ready: World, newer):
    newer("1.0.4")
    ready.fault(kind="deny", operation="UpdateClusterSoftware")
    try:
        failed = update(ready, "controller-machine", "-e", "drain_timeout=30")
    finally:
        ready.clear_faults()
    assert failed.rc == 2 and "stay drained" in failed.log, failed.log
    assert ready.on_node(controller(ready), "systemctl", "is-active", "slurmctld").stdout.strip() == "active"
    assert saved_states(ready) == []
    done = update(ready, "controller-machine", "-e", "drain_timeout=30")
    assert done.rc == 0 and saved_states(ready) == [], done.log


@pytest.mark.slow
def test_reconcile_restores_the_slurm_state_that_a_killed_run_saved(ready: World, newer):
    """The run is killed after AWS has started the update: the disk is blank, and nothing is restored yet."""
    newer("1.0.6")
    node = controller(ready)
    job = shell(ready, node, "cd /tmp && sbatch --parsable --hold -J kept -o /dev/null --wrap true", "alice").stdout.strip()
    ready.fault(kind="hold", operation="UpdateClusterSoftware")
    run = started(ready, "controller-machine")
    assert run_until(run, lambda: bool(held(ready)))
    run.kill()
    release(ready)
    ready.eventually(lambda: assert_one_is_saved(ready))  # AWS is still updating the controller
    lab_world.wait_in_service(lab_world.CLUSTER)
    done = ready.playbook("reconcile")
    assert done.rc == 0 and saved_states(ready) == [], done.log
    assert ready.on_node(node, "squeue", "--noheader", "--format=%i").stdout.split() == [job]
    worker = ready.hosts("worker-group-1")[0]["name"]
    assert slurm_state(ready, worker) == "drained"
    again = update(ready, "controller-machine")
    assert again.rc == 0 and slurm_state(ready, worker) == "idle", again.log
    assert ready.on_node(controller(ready), "scancel", job).returncode == 0
    until_no_job(ready)


def assert_one_is_saved(world: World) -> None:
    assert len(saved_states(world)) == 1


def saved_states(world: World) -> list[str]:
    """Saved states of Slurm that were not restored; read as SlurmUser, because of root squash."""
    folder = f"/fsx/.hyperpod_slurm_state/{world.hosts()[0]['cluster_id']}"
    return shell(world, controller(world), f"ls -d {folder}/sav* 2>/dev/null; true", "slurm").stdout.split()
