"""A login node is drained while people work on it, stays drained during a reconcile, and returns to service."""

from __future__ import annotations

import json
import re

import pytest
from harness import World
from mishaps import locked_elsewhere, off
from sessions import Session, alias
from steps import step
from visitors import slow_deregistration, visitors

pytestmark = pytest.mark.slow

REASON = "memory errors, ticket 4711"
BASHRC = r"""
cd /fsx/bob && cp .bashrc .bashrc.kept && rm -f ran
printf 'touch /fsx/bob/ran; [ -z "$SSH_ORIGINAL_COMMAND" ] || exec bash --norc -c "$SSH_ORIGINAL_COMMAND"\n' >.bashrc
"""


def drain(world: World, node: str, *arguments: str):
    return world.playbook("drain", "-e", f"drain_nodes={node}", "-e", json.dumps({"drain_reason": REASON}), *arguments)


def record_path(world: World, node: str) -> str:
    cluster = world.aws("sagemaker").list_clusters()["ClusterSummaries"][0]["ClusterArn"].rpartition("/")[2]
    return f"/mlfleet/hyperpod/{cluster}/records/drained/{node}"


def planned_changes(run) -> set[tuple[str, str]]:
    """Changes in the report, without those of the lock, which a plan does not take."""
    return {(change["action"], change["resource"]) for change in run.cluster()["changes"] if "lock" not in change["resource"]}


def serving(world: World) -> list[str]:
    """Addresses of targets that do not drain."""
    return sorted(ip for ip, health in world.target_health().items() if health != "draining")


def gate(world: World, node: str) -> str:
    return world.on_node(node, "systemctl", "is-active", "mlfleet-login-ready.socket").stdout.strip()


def people_port(world: World, node: str) -> str:
    return world.on_node(node, "systemctl", "is-active", "mlfleet-login-people@222.socket").stdout.strip()


def assert_gate_is_open(world: World, node: str) -> None:
    """After a boot, a node opens its gate once its own checks pass."""
    assert (gate(world, node), people_port(world, node)) == ("active", "active")


def test_unknown_and_required_nodes_are_not_drained(ready: World):
    nodes = [node["instance_id"] for node in ready.login_nodes()]
    ready.reset_calls()
    unknown = drain(ready, "i-00000000000000000")
    assert unknown.rc == 2 and "drain_nodes: i-00000000000000000 is not allowed" in unknown.output
    every = drain(ready, ",".join(nodes))
    assert every.rc == 2, every.log
    assert "must stay in service because login_balancer_minimum_healthy is 1" in every.cluster()["failures"][0]
    assert ready.calls(mutating=True) == []
    with locked_elsewhere(ready):
        held = drain(ready, nodes[0])
    assert (held.rc, held.status) == (2, "failed"), held.log
    assert "Cluster ml is locked by ops@elsewhere until " in held.cluster()["failures"][0]


def test_drain_waits_for_people_and_reconcile_keeps_the_node_drained(ready: World):
    node, *others = ready.login_nodes()
    name, iid = node["name"], node["instance_id"]
    with step("people work on the node"):
        alice = Session(ready, "alice", node)
        left = ready.login("bob", "nohup sleep 600 >/dev/null 2>&1 & echo left", node["ip"], *alias(ready))
        assert left.stdout.strip() == "left"

    with step("check mode"):
        ready.reset_calls()
        planned = drain(ready, iid, "--check", "--diff")
        assert planned.rc == 0, planned.log
        assert ready.calls(mutating=True) == [] and gate(ready, name) == "active"
        assert "alice (1 session" in " ".join(planned.cluster()["notes"])
        resources = {change["resource"].split(" ")[0] for change in planned.cluster()["changes"]}
        assert resources == {"target", "record", "message", "sshd", "readiness"}

    with step("drain"):
        with slow_deregistration(ready, 20), visitors(ready, "bob") as people:
            done = drain(ready, iid, "-e", "drain_timeout=6", "-e", "drain_settle=25")
        assert people.refused == [], done.log
        assert people.let_in_while_draining(node), "no login reached the draining node, so the test proves nothing"
        assert (done.rc, done.status) == (2, "degraded"), done.log
        assert re.search(rf"{iid}: waited \d+ s of 6 s for alice", done.output), done.log
        (pending,) = done.cluster()["pending"]
        assert "alice (1 session since" in pending and "bob (left running: sleep)" in pending
        assert {change["resource"].split(" ")[0] for change in done.cluster()["changes"]} == resources
        assert serving(ready) == sorted(other["ip"] for other in others)
        assert (gate(ready, name), people_port(ready, name)) == ("inactive", "inactive")
        assert REASON in alice.echo("still here")
        recorded = json.loads(ready.aws("ssm").get_parameter(Name=record_path(ready, iid))["Parameter"]["Value"])
        assert recorded["reason"] == REASON and recorded["login_name"] == ready.login_name and recorded["owner"]

    with step("the node refuses new logins, and running sessions continue"):
        # sshd would run a forced command in the person's shell, after the commands of this file.
        as_bob = ("runuser", "-u", "bob", "--", "bash", "-c")
        assert ready.on_node(name, *as_bob, BASHRC).returncode == 0
        for terminal in ("-T", "-tt"):
            refused = ready.login("bob", "hostname", node["ip"], *alias(ready), terminal)
            assert refused.returncode == 255 and REASON in refused.stdout and ready.login_name in refused.stdout
            assert "Permission denied" in refused.stdout and name not in refused.stdout.splitlines()
        copy = ready.run([*ready.ssh_command("bob", node["ip"], *alias(ready), "-s"), "sftp"], timeout=60)
        assert copy.returncode == 255 and REASON in copy.stdout
        assert ready.on_node(name, *as_bob, "! test -e /fsx/bob/ran && mv /fsx/bob/.bashrc.kept /fsx/bob/.bashrc").returncode == 0
        assert "here" in alice.echo("here too")
        forward = ready.login("bob", "true", node["ip"], *alias(ready), "-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:22")
        assert forward.returncode == 255, forward.stdout
        assert {ready.login("bob").stdout.strip() for _turn in range(6)} == {other["name"] for other in others}

    with step("reconcile"):
        ready.reset_calls()
        again = ready.playbook("reconcile")
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
        assert ready.calls(mutating=True) == []
        assert f"{iid} is drained (by " in " ".join(again.cluster()["notes"])

    with step("drain by force"):
        alice.end()
        forced = drain(ready, iid, "-e", "drain_force=true", "-e", "drain_timeout=2")
        assert (forced.rc, forced.status) == (0, "changed"), forced.log
        assert [change["action"] for change in forced.cluster()["changes"]] == ["delete"]
        assert ready.on_node(name, "pgrep", "-u", "bob", "sleep").returncode == 1

    with step("drain again"):
        ready.reset_calls()
        idle = drain(ready, iid)
        assert (idle.rc, idle.changed, idle.status) == (0, 0, "unchanged"), idle.log
        assert ready.calls(mutating=True) == []


def test_a_node_without_power_is_drained_in_aws_and_closed_on_its_return(ready: World):
    _drained, other, node = ready.login_nodes()
    iid = node["instance_id"]
    with step("drain without power"):
        with off(ready, iid):
            ready.reset_calls()
            planned = drain(ready, iid, "--check", "--diff")
            assert (planned.rc, planned.status) == (2, "degraded"), planned.log
            assert ready.calls(mutating=True) == []

            done = drain(ready, iid)
            assert (done.rc, done.status) == (2, "degraded"), done.log
            assert {change["resource"].split(" ")[0] for change in done.cluster()["changes"]} == {"target", "record"}
            pending = " ".join(done.cluster()["pending"])
            assert re.search(rf"{iid} is unreachable: \S+ TargetNotConnected: \S+{iid} is not connected", pending), pending
            assert f"{iid}: is deregistered and recorded as drained, but could not be reached" in pending
            assert serving(ready) == [other["ip"]]
            assert {ready.login("bob").stdout.strip() for _turn in range(3)} == {other["name"]}

    with step("reconcile after its return"):
        ready.eventually(lambda: assert_gate_is_open(ready, node["name"]))
        back = ready.playbook("reconcile")
        assert (back.rc, back.status) == (0, "changed"), back.log
        assert gate(ready, node["name"]) == "inactive"
        refused = ready.login("bob", "hostname", node["ip"], *alias(ready))
        assert refused.returncode == 255 and REASON in refused.stdout
        assert serving(ready) == [other["ip"]]


def test_undrain_returns_nodes_to_service_after_verification(ready: World):
    first, _other, last = ready.login_nodes()
    both = f"undrain_nodes={first['instance_id']},ml-{last['instance_id']}"
    gone = record_path(ready, "i-0fedcba9876543210")
    ready.aws("ssm").put_parameter(Name=gone, Type="String", Value="{}")
    with step("check mode"):
        ready.reset_calls()
        planned = ready.playbook("undrain", "-e", both, "--check", "--diff")
        assert (planned.rc, planned.status) == (0, "changed"), planned.log
        assert ready.calls(mutating=True) == []
        assert [gate(ready, node["name"]) for node in (first, last)] == ["inactive", "inactive"]

    with step("undrain"):
        done = ready.playbook("undrain", "-e", both)
        assert (done.rc, done.status) == (0, "changed"), done.log
        assert planned_changes(done) == planned_changes(planned)
        assert "i-0fedcba9876543210 was drained and no longer exists" in " ".join(done.cluster()["notes"])
        records = [record_path(ready, node["instance_id"]) for node in (first, last)]
        assert ready.aws("ssm").get_parameters(Names=[gone, *records])["Parameters"] == []
        assert set(ready.target_health().values()) == {"healthy"} and len(serving(ready)) == 3
        for node in (first, last):
            assert (gate(ready, node["name"]), people_port(ready, node["name"])) == ("active", "active")
            assert ready.login("bob", "hostname", node["ip"], *alias(ready)).stdout.strip() == node["name"]
            assert ready.on_node(node["name"], "test", "-e", "/etc/ssh/mlfleet-hyperpod-refused").returncode == 1

    with step("undrain again"):
        ready.reset_calls()
        again = ready.playbook("undrain", "-e", both)
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
        assert ready.calls(mutating=True) == []
