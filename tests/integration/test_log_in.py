"""The main purpose: people log in to a bare cluster through one name, also after nodes were replaced."""

from __future__ import annotations

import collections
import functools
import json
import subprocess

import pytest
from harness import World
from steps import step
from visitors import judge, visitors

LOGINS = 60  # in the three scenarios, with the logins after each, more than 200
STRAY = "10.1.1.200"
FULL_LOOK = ("-e", "hyperpod_full_look_minutes=10080")
"""As in scheduled runs, with a full look at intervals."""


def test_people_log_in_on_all_nodes_through_one_name(ready: World):
    seen = collections.Counter(ready.login("alice").stdout.strip() for _turn in range(9))
    assert set(seen) == {node["name"] for node in ready.login_nodes()}
    done = ready.login("bob", "id -u; id -Gn; pwd; srun -N1 -p dev id -u")
    assert done.stdout.split() == ["20002", "bob", "research", "/fsx/bob", "20002"], done.stdout


def test_only_declared_people_log_in(ready: World):
    done = ready.login("mallory")
    assert done.returncode == 255 and "Permission denied" in done.stdout, done.stdout


def test_node_to_node_ssh_still_works(ready: World):
    one, two, three = (node["name"] for node in ready.login_nodes())
    for source, destination in ((one, two), (three, ready.hosts("worker-group-1")[0]["name"])):
        hop = ready.on_node(source, "runuser", "-u", "ubuntu", "--", "ssh", "-o", "BatchMode=yes", destination, "id", "-un")
        assert hop.stdout.strip().endswith("ubuntu"), hop.stdout


def test_a_second_run_changes_nothing(ready: World):
    with step("login_access"):
        ready.reset_calls()
        again = ready.playbook("login_access")
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
        assert ready.calls(mutating=True) == []
        cluster, nodes = again.cluster(), len(ready.login_nodes())
        assert (cluster["login_nodes_in_service"], cluster["login_nodes"], cluster["login_name"]) == (nodes, nodes, ready.login_name)
        assert (cluster["nodes_looked_at"], cluster["nodes"]) == (len(ready.hosts()), len(ready.hosts()))
        assert cluster["people_files"] == str(ready.people_files) and again.report["playbook"] == "login_access"
    with step("reconcile"):
        ready.reset_calls()
        again = ready.playbook("reconcile", *FULL_LOOK)
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
        assert again.cluster()["nodes_looked_at"] < again.cluster()["nodes"] and again.report["playbook"] == "reconcile"
        (recorded,) = ready.calls(mutating=True)
        assert recorded["arguments"]["Name"].endswith("/full-look") and len(recorded["arguments"]["Value"]) < 4096
        assert again.cluster()["full_look"] is None


def test_a_scheduled_run_calls_only_aws_if_nothing_changed(ready: World):
    """The previous run was a full look."""
    ready.reset_calls()
    quiet = ready.playbook("reconcile", *FULL_LOOK)
    assert (quiet.rc, quiet.changed, quiet.status) == (0, 0, "unchanged"), quiet.log
    assert quiet.cluster()["full_look"] and "AWS only, full look" in quiet.log, quiet.log
    operations = [call["operation"] for call in ready.calls()]
    assert not ready.calls(mutating=True) and "StartSession" not in operations, operations
    assert "ml-i-" not in quiet.output


@pytest.mark.parametrize("where", ["same", pytest.param("new", marks=pytest.mark.slow)])
def test_a_replacement_interrupts_no_login(ready: World, where: str):
    """No login reaches the blank node, open sessions on other nodes continue, and reconcile returns the node to service."""
    blank, other = ready.login_nodes()[0], ready.login_nodes()[1]
    names = {node["name"] for node in ready.login_nodes()}
    with step("an open session"):
        session = subprocess.Popen(
            [*ready.ssh_command("alice", other["ip"], "-o", f"HostKeyAlias={ready.login_name}"), "cat; echo alive"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    with step("replacement"):
        ready.settings(replace_ip=where)
        try:
            fresh = ready.replace(blank["instance_id"])
        finally:
            ready.settings(replace_ip="same")
        # Until its probes fail, the balancer sends people to the old machine, as on AWS.
        ready.eventually(lambda: _equal(ready.target_health().get(blank["ip"]) == "healthy", False))
    with step("logins"):
        for _turn in range(LOGINS):
            done = ready.login("alice")
            assert done.returncode == 0, done.stdout
            assert done.stdout.strip() in names - {blank["name"], fresh["name"]}
    with step("the session continues"):
        answer, _errors = session.communicate("still here\n", timeout=30)
        assert answer == "still here\nalive\n"
    with step("reconcile"):
        assert_reconciled(ready)


@pytest.mark.slow
def test_all_login_nodes_can_get_a_software_update_at_once(ready: World):
    """During the update only a target without a node is removed; then reconcile returns all nodes to service."""
    with step("a stray target"):
        elbv2 = ready.aws("elbv2")
        group = elbv2.describe_target_groups()["TargetGroups"][0]["TargetGroupArn"]
        elbv2.register_targets(TargetGroupArn=group, Targets=[{"Id": STRAY, "Port": 222}])
        before = _targets(ready)
    with step("reconcile during the update"):
        ready.settings(transition_seconds=900)
        ready.aws("sagemaker").update_cluster_software(
            ClusterName="ml", InstanceGroups=[{"InstanceGroupName": "login-group"}]
        )
        try:
            ready.eventually(lambda: _equal(_states(ready), {"SystemUpdating"}))
            run = ready.playbook("reconcile")
            for _turn in range(LOGINS):  # the old disks still serve
                done = ready.login("alice")
                assert done.returncode == 0, done.stdout
            assert _states(ready) == {"SystemUpdating"}, "the update ended before the run"
        finally:
            ready.settings(transition_seconds=0.2)
        assert (run.rc, run.status) == (0, "degraded"), run.log
        assert "\n".join(run.cluster()["pending"]).count("SystemUpdating") >= 3, run.cluster()
        assert _targets(ready) == before - {STRAY} and len(before) == 4
    with step("all login nodes are blank"):
        ready.eventually(lambda: _equal(_states(ready), {"Running"}), seconds=120)
        assert_logins_are_refused(ready)
    with step("reconcile"):
        assert_reconciled(ready)
    with step("reconcile again"):
        again = ready.playbook("reconcile")
        assert (again.rc, again.changed) == (0, 0), again.log


@pytest.mark.slow
def test_reconcile_heals_nodes_after_a_rolled_back_update(ready: World):
    """The disks are new twice, but no timestamp shows it; one reconcile detects, reports and heals it."""
    with step("the update"):
        times = _update_times(ready)
        ready.settings(software_update="rolls_back")
        try:
            ready.update_software("login-group")
        finally:
            ready.settings(software_update="succeeds")
        assert _update_times(ready) == times
    with step("reconcile"):
        run = ready.playbook("reconcile")
        assert (run.rc, run.status) == (0, "changed"), run.log
        renewed = [note for note in run.cluster()["notes"] if "host keys recorded (its disk is new, although" in note]
        assert len(renewed) == len(times), run.cluster()["notes"]
    with step("nodes serve"):
        ready.eventually(lambda: _equal(set(filter(None, ready.target_health().values())) - {"draining"}, {"healthy"}))
        ready.expect_all_serve()
        assert all(_records(ready)[node]["configured"] for node in times), "the next run would configure them again"


def assert_logins_are_refused(world: World) -> None:
    """All login nodes are blank, so the balancer has no target, and logins are refused without a host key warning."""
    world.eventually(lambda: _equal(set(filter(None, world.target_health().values())) - {"draining"}, {"unhealthy"}))
    for node in world.login_nodes():
        world.eventually(functools.partial(_is_blank, world, node["ip"]))
    assert [_result(world.login("alice")) for _turn in range(LOGINS // 4)] == ["refused"] * (LOGINS // 4)


def _is_blank(world: World, address: str) -> None:
    result = _result(world.login("alice", "true", address, "-o", f"HostKeyAlias={world.login_name}"))
    _equal(result, "met another host key")


def _result(done: subprocess.CompletedProcess[str]) -> str:
    return judge(done.returncode, done.stdout)


def assert_reconciled(world: World) -> None:
    run = world.playbook("reconcile")
    assert (run.rc, run.status) == (0, "changed"), run.log
    world.eventually(lambda: _equal(set(filter(None, world.target_health().values())) - {"draining"}, {"healthy"}))
    world.expect_all_serve()


@pytest.mark.slow
def test_targets_follow_a_scale_down_and_a_scale_up(ready: World):
    before = {node["instance_id"]: node["ip"] for node in ready.login_nodes()}
    with step("scale down"):
        ready.scale("login-group", 2)
        kept = {node["instance_id"]: node["ip"] for node in ready.login_nodes()}
        (gone,) = set(before.values()) - set(kept.values())
        run = ready.playbook("reconcile")
        assert (run.rc, run.status) == (0, "changed"), run.log
        assert _targets(ready) == set(kept.values())
        assert ready.target_health().get(gone) in (None, "draining")
    with step("scale up"):
        with visitors(ready, "bob", pause=1) as people:
            ready.scale("login-group", 3)
            run = ready.playbook("reconcile")
        assert people.visits and people.refused == []
        assert (run.rc, run.status) == (0, "changed"), run.log
        (fresh,) = {node["instance_id"] for node in ready.login_nodes() if node["ip"] not in kept.values()}
        assert f"TASK [mlfleet.hyperpod.login_nodes : Ensure the login node is configured if it is its turn: {fresh}]" in run.output
        ready.expect_all_serve()


def _targets(world: World) -> set[str]:
    """Registered addresses that do not drain."""
    return {address for address, state in world.target_health().items() if state != "draining"}


def _states(world: World) -> set[str]:
    listed = world.aws("sagemaker").list_cluster_nodes(ClusterName="ml", InstanceGroupNameContains="login-group")
    return {node["InstanceStatus"]["Status"] for node in listed["ClusterNodeSummaries"]}


def _update_times(world: World) -> dict[str, object]:
    listed = world.aws("sagemaker").list_cluster_nodes(ClusterName="ml", InstanceGroupNameContains="login-group")
    return {node["InstanceId"]: node.get("LastSoftwareUpdateTime") for node in listed["ClusterNodeSummaries"]}


def _records(world: World) -> dict[str, dict[str, object]]:
    """Trust records by instance id."""
    pages = world.aws("ssm").get_paginator("get_parameters_by_path").paginate(Path="/mlfleet/hyperpod", Recursive=True)
    found = {each["Name"]: each["Value"] for page in pages for each in page["Parameters"]}
    return {name.rpartition("/")[2]: json.loads(value) for name, value in found.items() if "/trust/" in name}


def _equal(found: object, wanted: object) -> None:
    assert found == wanted, found
