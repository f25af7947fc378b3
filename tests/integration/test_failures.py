"""What goes wrong in a real account and on real nodes, and what a run makes of it."""

from __future__ import annotations

import datetime
import json
import typing as t

import pytest
from harness import HOME, Run, World
from mishaps import Started, assert_people_log_in, assert_same, clean_run, snapshot

from lab import fsx

CAROL = {"name": "carol", "uid": 20003}
STRAY = "10.1.1.200"


@pytest.fixture(scope="module")
def ready() -> World:
    """The world after one run. Tests leave balancer and login nodes as they found them."""
    world = World()
    clean_run(world, again=True)
    return world


def with_carol() -> tuple[str, str]:
    """One more user, so that a run has something to change on every node."""
    return ("-e", json.dumps({"hyperpod_users": [*_people(), CAROL]}))


def _people() -> list[dict[str, t.Any]]:
    return [
        {
            "name": name,
            "uid": uid,
            "groups": ["research"],
            "comment": name.title(),
            "authorized_keys": [{"key": (HOME / "people" / name / "id_ed25519.pub").read_text().strip()}],
        }
        for name, uid in (("alice", 20001), ("bob", 20002))
    ]


def pending(run: Run) -> str:
    return "\n".join(run.cluster()["pending"])


# -- no target is removed -----------------------------------------------------------

# The inventory lists first, in two pages; what is spared so fails in the play.
LISTINGS = {
    "page two of the nodes fails": {"kind": "fail_page", "code": "ValidationException", "after": 1},
    "the nodes may not be listed": {"kind": "deny", "after": 2},
    "the nodes can't be listed for now": {"kind": "error500", "after": 2},
    "a node may not be described": {"kind": "deny", "operation": "DescribeClusterNode", "after": 4},
    "the inventory may not list nodes": {"kind": "deny"},
    "the account does not answer": {"kind": "refuse", "operation": "*"},
}


@pytest.mark.parametrize("how", LISTINGS)
def test_a_listing_that_fails_removes_no_target(ready: World, how: str):
    before = ready.target_health()
    ready.settings(page_size=3)
    ready.reset_calls()
    ready.fault(**{"operation": "ListClusterNodes", **LISTINGS[how]})
    try:
        run = ready.playbook("reconcile", "--limit", "hyperpod_clusters")  # where targets are decided
    finally:
        ready.clear_faults()
        ready.settings(page_size=1000)
    assert run.rc != 0, run.output
    assert len(before) == 3 and ready.target_health() == before
    assert ready.calls(mutating=True) == []
    assert ready.login().returncode == 0


def test_a_lock_of_another_host_skips(ready: World):
    cluster = ready.aws("sagemaker").describe_cluster(ClusterName="ml")["ClusterArn"].rpartition("/")[2]
    now = datetime.datetime.now(datetime.timezone.utc)
    claim = {
        "owner": "ops@elsewhere",
        "token": "elsewhere/1",
        "host": "elsewhere",
        "place": "another-boot/1",
        "pid": 1,
        "started": 1,
        "acquired": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "expires": (now + datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "released": False,
    }
    ssm, name = ready.aws("ssm"), f"/mlfleet/hyperpod/{cluster}/lock/900"
    ssm.put_parameter(Name=name, Type="String", Value=json.dumps(claim))
    ready.reset_calls()
    run = ready.playbook("reconcile", *with_carol())
    ssm.delete_parameter(Name=name)
    assert (run.rc, run.status, run.changed) == (0, "skipped", 0), run.output
    assert run.cluster()["notes"][0].startswith("skipped, locked by ops@elsewhere until "), run.cluster()
    assert [call["operation"] for call in ready.calls(mutating=True)] == ["DeleteParameter"]  # the test's own
    assert ready.on_node(ready.login_nodes()[0]["name"], "id", "carol").returncode == 1


def test_a_node_that_does_not_answer_is_pending(ready: World):
    silent, *others = (node["name"] for node in ready.login_nodes())
    stop = "systemctl stop ssh.socket ssh.service; loginctl terminate-user hyperpod-ops; pkill -u hyperpod-ops; true"
    ready.on_node(silent, "sh", "-c", stop)
    run = ready.playbook("reconcile", *with_carol())
    ready.on_node(silent, "systemctl", "start", "ssh.service")
    assert (run.rc, run.status) == (0, "degraded"), run.output
    instance = next(node["instance_id"] for node in ready.login_nodes() if node["name"] == silent)
    assert instance in pending(run), run.cluster()
    made = [ready.on_node(name, "id", "carol").returncode for name in (silent, *others)]
    assert made == [1, 0, 0]
    assert len(ready.target_health()) == 3


def test_a_file_system_that_hangs_leaves_nodes_pending(ready: World):
    fsx.hang(ready.paths)
    try:
        run = ready.playbook("reconcile", "-e", "login_balancer_healthy_timeout=10", timeout=200)
        reached = ready.run(["ansible", "node_type_login", "-m", "ansible.builtin.command", "-a", "true"])
    finally:
        fsx.resume(ready.paths)
    assert (run.rc, run.status) == (0, "degraded"), run.output
    assert reached.stdout.count("| CHANGED |") == 3, reached.stdout
    assert len(ready.target_health()) == 3
    assert ready.playbook("reconcile").status in ("changed", "unchanged")
    ready.eventually(lambda: assert_people_log_in(ready))


def test_all_login_nodes_in_update_keep_their_targets(ready: World):
    """And a target at an address that no node has goes, although all others are held."""
    elbv2 = ready.aws("elbv2")
    group = elbv2.describe_target_groups()["TargetGroups"][0]["TargetGroupArn"]
    elbv2.register_targets(TargetGroupArn=group, Targets=[{"Id": STRAY, "Port": 22}])
    before = set(ready.target_health())
    ready.settings(transition_seconds=300)
    ready.aws("sagemaker").update_cluster_software(
        ClusterName="ml", InstanceGroups=[{"InstanceGroupName": "login-group"}]
    )
    try:
        ready.eventually(lambda: _states(ready, "login-group", "SystemUpdating"))
        run = ready.playbook("reconcile")
    finally:
        ready.settings(transition_seconds=0.2)
    assert (run.rc, run.status) == (0, "degraded"), run.output
    assert pending(run).count("SystemUpdating") >= 3, run.cluster()
    staying = {address for address, state in ready.target_health().items() if state != "draining"}
    assert staying == before - {STRAY} and len(staying) == 3


def _states(world: World, group: str, wanted: str) -> None:
    listed = world.aws("sagemaker").list_cluster_nodes(ClusterName="ml", InstanceGroupNameContains=group)
    assert {node["InstanceStatus"]["Status"] for node in listed["ClusterNodeSummaries"]} == {wanted}


# -- a service that stumbles -----------------------------------------------------------


def test_throttled_calls_converge(ready: World):
    clean = clean_run(ready)
    ready.reset()
    ready.fault(kind="throttle", probability=0.3, seed=7)
    run = ready.playbook("login_access")
    ready.clear_faults()
    assert run.rc == 0, run.output
    assert_same(snapshot(ready), clean.state)


def test_an_error_and_a_lost_reply_of_each_operation_converge(ready: World):
    """Each operation fails once; each that changes something then takes effect once without an answer."""
    clean = clean_run(ready)
    ready.reset()
    for service, operation, mutating in sorted(clean.operations):
        ready.fault(kind="error500", service=service, operation=operation, times=1)
        if mutating:
            ready.fault(kind="cut_after", service=service, operation=operation, times=1)
    run = ready.playbook("login_access")
    ready.clear_faults()
    assert run.rc == 0, run.output
    assert_same(snapshot(ready), clean.state)
    ready.reset_calls()
    again = ready.playbook("login_access")
    assert (again.rc, again.changed) == (0, 0), again.output
    assert ready.calls(mutating=True) == []


def test_two_runs_at_once(ready: World):
    clean = clean_run(ready)
    ready.reset()
    runs = [Started(ready, "login_access", state_dir=HOME / ".mlfleet" / name) for name in ("one", "two")]
    ended = [run.end() for run in runs]
    for run in ended:
        assert run.rc == 0, run.output
    assert sorted(run.status for run in ended) in (["changed", "skipped"], ["changed", "unchanged"])
    for run in ended:
        assert run.status != "skipped" or run.cluster()["notes"][0].startswith("skipped, locked by ")
    assert_same(snapshot(ready), clean.state)
    assert_people_log_in(ready)
    ready.reset_calls()
    again = ready.playbook("login_access")
    assert (again.rc, again.changed) == (0, 0), again.output
    assert ready.calls(mutating=True) == []
