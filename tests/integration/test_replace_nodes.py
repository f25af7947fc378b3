"""Nodes are replaced on purpose, by the playbook: their jobs and people first, then AWS, then what the cluster declares."""

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
    with step("a job at work is refused, or waited for in vain"):
        submit(ready, worker["name"], 600)
        ready.reset_calls()
        refused = replace(ready, worker["instance_id"], "-e", "replace_jobs=refuse")
        assert refused.rc == 2 and "There are jobs on the nodes, and jobs=refuse is set: " in refused.log
        assert ready.calls(mutating=True) == [] and slurm_state(ready, worker["name"]) == "mixed"

    with step("check mode tells what would go"):
        planned = replace(ready, f"{worker['instance_id']},{login['instance_id']}", "--check")
        assert planned.rc == 0, planned.log
        assert "The run would wait up to" in " ".join(planned.cluster()["notes"])
        assert ready.calls(mutating=True) == [] and slurm_state(ready, worker["name"]) == "mixed"

    with step("nothing is replaced while the job is there"):
        waited = replace(ready, worker["instance_id"], "-e", "drain_timeout=3")
        assert waited.rc == 2 and waited.status == "degraded", waited.log
        assert ready.hosts("worker-group-1")[0]["instance_id"] == worker["instance_id"]
        assert slurm_state(ready, worker["name"]) == "draining" and jobs(ready) == ["RUNNING 20001"]
        assert shell(ready, controller(ready), "scancel -u alice").returncode == 0
        until_no_job(ready)

    with step("both are replaced, and people notice nothing"), visitors(ready, "bob") as people:
        done = replace(ready, f"{worker['instance_id']},{login['instance_id']}", "-e", "drain_timeout=60", "-e", "drain_force=true")
    assert done.rc == 0 and done.status == "changed", done.log
    assert people.refused == [], done.log
    ids = {node["instance_id"] for node in ready.hosts()}
    assert not ids & {worker["instance_id"], login["instance_id"]}
    ready.expect_all_serve()

    with step("work goes on"):
        ready.eventually(lambda: _is_idle(ready, worker["name"]))  # slurmctld begins anew once it was told of the machine
        done = ready.login("bob", f"srun -N1 -p dev -w {worker['name']} hostname")
        assert done.stdout.strip() == worker["name"], done.stdout


@pytest.mark.slow
def test_all_login_nodes_are_replaced_by_two_runs_and_somebody_always_serves(ready: World):
    before = [node["instance_id"] for node in ready.login_nodes()]
    force = ("-e", "drain_timeout=60", "-e", "drain_force=true")
    with visitors(ready, "bob", pause=0.3) as people:
        with step("all but one"):
            first = replace(ready, ",".join(before), *force)
            assert (first.rc, first.status) == (2, "degraded"), first.log
            (pending,) = first.cluster()["pending"]
            left = re.findall(r"replace_nodes=(\S+)\.$", pending)
            now = [node["instance_id"] for node in ready.login_nodes()]
            assert [each for each in now if each in before] == left and len(left) == 1, pending
        with step("the last one, once the new ones serve"):
            second = replace(ready, left[0], *force)
            assert (second.rc, second.status) == (0, "changed"), second.log
    assert people.refused == [] and people.met_another_key == [], second.log
    assert not {node["instance_id"] for node in ready.login_nodes()} & set(before)
    ready.expect_all_serve()
    with step("a cluster with no login node to spare is refused"):
        ready.reset_calls()
        every = ready.login_nodes()[0]["instance_id"]
        refused = replace(ready, every, "-e", "login_balancer_minimum_healthy=3")
        assert refused.rc == 2 and "is needed because login_balancer_minimum_healthy is 3" in refused.log, refused.log
        assert ready.calls(mutating=True) == []


def test_a_controller_and_what_there_is_not_are_refused(ready: World):
    ready.reset_calls()
    head = ready.hosts("controller-machine")[0]["instance_id"]
    for named in (head, "i-00000000000000000"):
        refused = replace(ready, named)
        told = " ".join(refused.log.split())
        assert refused.rc == 2 and "replace_nodes: " in told and "is not allowed: it is not a node of these clusters" in told, refused.log
    assert ready.calls(mutating=True) == []


def _is_idle(world: World, node: str) -> None:
    assert slurm_state(world, node) == "idle"
