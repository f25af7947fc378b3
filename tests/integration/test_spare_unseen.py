"""A run that cannot see everything removes nothing, and reports what it left."""

from __future__ import annotations

import typing as t

import pytest
from harness import Run, World
from lab.hosts import fsx
from mishaps import locked_elsewhere, silent
from visitors import people
from worlds import assert_people_log_in

CAROL = {"name": "carol", "uid": 20003}


def with_carol() -> tuple[str, str]:
    """One more user, so that a run has something to change on every node."""
    return people(CAROL)


def pending(run: Run) -> str:
    return "\n".join(run.cluster()["pending"])


# The inventory lists first, in two pages; ``after`` spares these calls, so that those of the play fail.
LISTINGS: dict[str, dict[str, t.Any]] = {
    "page two of the nodes fails": {"kind": "fail_page", "code": "ValidationException", "after": 1},
    "the nodes may not be listed": {"kind": "deny", "after": 2},
    "the nodes can't be listed for now": {"kind": "error500", "after": 2},
    "a node may not be described": {"kind": "deny", "operation": "DescribeClusterNode", "after": 4},
    "the inventory may not list nodes": {"kind": "deny"},
    "the account does not answer": {"kind": "refuse", "operation": "*"},
}
LIMIT = ("--limit", "hyperpod_clusters", "-e", "hyperpod_internal_without_nodes=true")  # the cluster play decides about targets
RARE = ("the nodes can't be listed for now", "a node may not be described", "the account does not answer")
IN_INVENTORY = ("the inventory may not list nodes", "the account does not answer")


@pytest.mark.parametrize("how", [pytest.param(how, marks=[pytest.mark.slow] if how in RARE else []) for how in LISTINGS])
def test_a_listing_that_fails_removes_no_target(ready: World, how: str):
    before = ready.target_health()
    ready.settings(page_size=3)
    ready.reset_calls()
    ready.fault(**{"operation": "ListClusterNodes", **LISTINGS[how]})
    try:
        run = ready.playbook("reconcile", *LIMIT)
        fired = [rule["fired"] for rule in ready.control.faults()]
    finally:
        ready.clear_faults()
        ready.settings(page_size=1000)
    assert sum(fired) > 0, run.log
    assert ("PLAY [" in run.output) == (how not in IN_INVENTORY), run.log
    if how not in IN_INVENTORY:
        assert f"{LISTINGS[how].get('operation', 'ListClusterNodes')} for " in " ".join(run.output.split()), run.log
    assert run.rc != 0, run.log
    assert len(before) == 3 and ready.target_health() == before
    assert ready.calls(mutating=True) == []
    assert ready.login().returncode == 0


def test_a_cluster_locked_by_another_host_is_skipped(ready: World):
    with locked_elsewhere(ready):
        ready.reset_calls()
        run = ready.playbook("reconcile", *with_carol())
        assert ready.calls(mutating=True) == []
    assert (run.rc, run.status, run.changed) == (0, "skipped", 0), run.log
    assert run.cluster()["notes"][0].startswith("skipped, locked by ops@elsewhere until "), run.cluster()
    assert ready.on_node(ready.login_nodes()[0]["name"], "id", "carol").returncode == 1


@pytest.mark.slow
def test_a_node_that_does_not_answer_is_pending(ready: World):
    quiet, *others = (node["name"] for node in ready.login_nodes())
    with silent(ready, quiet):
        run = ready.playbook("reconcile", *with_carol())
    assert (run.rc, run.status) == (0, "degraded"), run.log
    instance = next(node["instance_id"] for node in ready.login_nodes() if node["name"] == quiet)
    assert instance in pending(run), run.cluster()
    made = [ready.on_node(name, "id", "carol").returncode for name in (quiet, *others)]
    assert made == [1, 0, 0]
    assert ready.playbook("reconcile").status == "changed"  # otherwise gates close because carol is missing
    for node in ready.hosts():
        ready.on_node(node["name"], "userdel", "carol")
    assert len(ready.target_health()) == 3


@pytest.mark.slow
def test_a_file_system_that_hangs_leaves_nodes_pending(ready: World):
    """Open gates stay open, and a closed gate does not open: here one closes while the file system hangs."""
    fsx.hang(ready.paths)
    try:
        ready.on_node(ready.login_nodes()[0]["name"], "systemctl", "stop", "mlfleet-login-ready.socket")
        run = ready.playbook("reconcile", "-e", "login_balancer_healthy_timeout=10", timeout=200)
        reached = ready.run(["ansible", "node_type_login", "-m", "ansible.builtin.command", "-a", "true"])
    finally:
        fsx.resume(ready.paths)
    assert (run.rc, run.status) == (0, "degraded"), run.log
    assert reached.stdout.count("| CHANGED |") == 3, reached.stdout
    assert len(ready.target_health()) == 3
    assert ready.playbook("reconcile").status in ("changed", "unchanged")
    ready.eventually(lambda: assert_people_log_in(ready))
