"""The playbook replaces nodes: it waits for jobs and people, replaces through AWS, then configures the new nodes."""

from __future__ import annotations

import re

import pytest
from harness import World
from steps import step
from visitors import visitors
from work import controller, jobs, shell, slurm_state, submit, until_no_job

QUICK = ("-e", "drain_reason=ticket", "-e", "drain_settle=0")


def replace(world: World, nodes: str, *arguments: str):
    return world.playbook("replace_nodes", "-e", f"replace_nodes={nodes}", *QUICK, *arguments)


@pytest.mark.slow
def test_a_worker_with_a_job_and_a_login_node_are_replaced(ready: World):
    worker, login = ready.hosts("worker-group-1")[0], ready.login_nodes()[0]
    with step("a node with a running job is refused"):
        submit(ready, worker["name"], 600)
        ready.reset_calls()
        refused = replace(ready, worker["instance_id"], "-e", "replace_jobs=refuse")
        assert refused.rc == 2 and "There are jobs on the nodes, and jobs=refuse is set: " in refused.log
        assert ready.calls(mutating=True) == [] and slurm_state(ready, worker["name"]) == "mixed"

    with step("check mode reports the wait for the job"):
        planned = replace(ready, f"{worker['instance_id']},{login['instance_id']}", "--check")
        assert planned.rc == 0, planned.log
        assert "The run would wait up to" in " ".join(planned.cluster()["notes"])
        assert ready.calls(mutating=True) == [] and slurm_state(ready, worker["name"]) == "mixed"

    with step("nothing is replaced while the job runs"):
        waited = replace(ready, worker["instance_id"], "-e", "drain_timeout=3")
        assert waited.rc == 2 and waited.status == "degraded", waited.log
        assert ready.hosts("worker-group-1")[0]["instance_id"] == worker["instance_id"]
        assert slurm_state(ready, worker["name"]) == "draining" and jobs(ready) == ["RUNNING 20001"]
        assert shell(ready, controller(ready), "scancel -u alice").returncode == 0
        until_no_job(ready)

    with step("both nodes are replaced, and no login fails"), visitors(ready, "bob") as people:
        done = replace(ready, f"{worker['instance_id']},{login['instance_id']}", "-e", "drain_timeout=60", "-e", "drain_force=true")
    assert done.rc == 0 and done.status == "changed", done.log
    assert people.refused == [], done.log
    ids = {node["instance_id"] for node in ready.hosts()}
    assert not ids & {worker["instance_id"], login["instance_id"]}
    ready.expect_all_serve()

    with step("the new worker runs jobs"):
        ready.eventually(lambda: _is_idle(ready, worker["name"]))  # slurmctld restarts after it gets the new machine
        done = ready.login("bob", f"srun -N1 -p dev -w {worker['name']} hostname")
        assert done.stdout.strip() == worker["name"], done.stdout


@pytest.mark.slow
def test_two_runs_replace_all_login_nodes_while_logins_succeed(ready: World):
    before = [node["instance_id"] for node in ready.login_nodes()]
    force = ("-e", "drain_timeout=60", "-e", "drain_force=true")
    with visitors(ready, "bob", pause=0.3) as people:
        with step("the first run replaces all but one"):
            first = replace(ready, ",".join(before), *force)
            assert (first.rc, first.status) == (2, "degraded"), first.log
            (pending,) = first.cluster()["pending"]
            left = re.findall(r"set replace_nodes=(\S+) and run again\.$", pending)
            now = [node["instance_id"] for node in ready.login_nodes()]
            assert [each for each in now if each in before] == left and len(left) == 1, pending
        with step("the second run replaces the last one"):
            second = replace(ready, left[0], *force)
            assert (second.rc, second.status) == (0, "changed"), second.log
    assert people.refused == [] and people.met_another_key == [], second.log
    assert not {node["instance_id"] for node in ready.login_nodes()} & set(before)
    ready.expect_all_serve()
    with step("a run that would leave too few login nodes is refused"):
        ready.reset_calls()
        every = ready.login_nodes()[0]["instance_id"]
        refused = replace(ready, every, "-e", "login_balancer_minimum_healthy=3")
        assert refused.rc == 2 and "must stay in service because login_balancer_minimum_healthy is 3" in refused.log, refused.log
        assert ready.calls(mutating=True) == []


def test_a_controller_and_unknown_nodes_are_refused(ready: World):
    ready.reset_calls()
    head = ready.hosts("controller-machine")[0]["instance_id"]
    for named in (head, "i-00000000000000000"):
        refused = replace(ready, named)
        log = " ".join(refused.log.split())
        assert refused.rc == 2 and "replace_nodes: " in log and "is not allowed: it is not a node of these clusters" in log, refused.log
    assert ready.calls(mutating=True) == []


def _is_idle(world: World, node: str) -> None:
    assert slurm_state(world, node) == "idle"
