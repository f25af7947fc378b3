"""The port for people is open on verified nodes only, whatever happens to the nodes, and while the ports change."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import typing as t

import pytest
from harness import Run, World
from visitors import Visitors, judge, visitors
from worlds import assert_people_log_in, ready_world

PEOPLE, GATE = 222, 223
OLD_SOCKET = """\
[Unit]
Description=Readiness gate of this login node, asked by the load balancer

[Socket]
ExecStartPre=/bin/true
TimeoutSec=90
ListenStream=2022
Accept=yes
MaxConnections=256
TriggerLimitIntervalSec=0
"""
OLD_SERVICE = """\
[Unit]
Description=Answer of the readiness gate
CollectMode=inactive-or-failed

[Service]
Type=oneshot
ExecStart=-/bin/echo ready
User=nobody
StandardInput=null
StandardOutput=socket
StandardError=null
"""
OLD_NODE = """
systemctl disable --now mlfleet-login-watch.timer
systemctl stop 'mlfleet-login-*.socket'
rm -f /etc/systemd/system/mlfleet-login-* /var/lib/mlfleet-hyperpod/ready-watch
printf '%s' "$1" >/etc/systemd/system/mlfleet-login-ready.socket
printf '%s' "$2" >/etc/systemd/system/mlfleet-login-ready@.service
systemctl daemon-reload
systemctl start mlfleet-login-ready.socket
"""


@pytest.fixture(scope="module")
def world() -> World:
    return ready_world(login=2, compute=0)


def met(done: subprocess.CompletedProcess[str]) -> str:
    return judge(done.returncode, done.stdout)


def listens(node: dict[str, t.Any], port: int) -> bool:
    try:
        socket.create_connection((node["ip"], port), timeout=2).close()
    except OSError:
        return False
    return True


def hold(held: object) -> None:
    assert held


def serving(world: World) -> set[tuple[str, int]]:
    """Addresses and ports of the targets that are not draining."""
    return {target for target, health in world.targets().items() if health != "draining"}


def login_targets(world: World, port: int) -> set[tuple[str, int]]:
    return {(node["ip"], port) for node in world.login_nodes()}


def health_check_port(world: World) -> str:
    return world.aws("elbv2").describe_target_groups()["TargetGroups"][0]["HealthCheckPort"]


def rules(world: World) -> dict[str, set[int]]:
    """Ports of the rules from the balancer's group to the nodes' group, by direction."""
    found = world.aws("ec2").describe_security_group_rules()["SecurityGroupRules"]
    groups = world.aws("ec2").describe_security_groups()["SecurityGroups"]
    ours = {group["GroupId"] for group in groups if group["GroupName"].startswith("mlfleet-hyperpod-")}
    nodes = world.node_security_group()
    between = [rule for rule in found if {rule["GroupId"], rule.get("ReferencedGroupInfo", {}).get("GroupId")} in ({nodes, one} for one in ours)]
    return {
        name: {rule["FromPort"] for rule in between if rule["IsEgress"] is egress}
        for name, egress in (("in", False), ("out", True))
    }


def assert_converges(world: World, *arguments: str) -> None:
    """Two runs remove old sockets, then rules of ports without draining targets; the third run changes nothing."""
    world.eventually(lambda: hold("draining" not in world.targets().values()), seconds=300)
    for _run in range(2):
        run = world.playbook("reconcile", *arguments)
        assert run.rc == 0, run.log
    world.reset_calls()
    again = world.playbook("reconcile", *arguments)
    assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
    assert world.calls(mutating=True) == []


@contextlib.contextmanager
def slow_targets(world: World) -> t.Iterator[None]:
    """Registration and deregistration take time, as on AWS: a removed target still receives connections for minutes."""
    world.settings(registration_seconds=3, deregistration_seconds=120)
    try:
        yield
    finally:
        world.settings(registration_seconds=0, deregistration_seconds=0)


def move(world: World, *arguments: str) -> Run:
    """Two runs during continuous logins and an open session: no login is refused, and the session survives. The balancer still sends
    connections to the old port during the second run.
    """
    with subprocess.Popen(
        [*world.ssh_command("alice"), "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as session:
        assert session.stdin and session.stdout
        session.stdin.write("before\n")
        session.stdin.flush()
        assert session.stdout.readline() == "before\n"
        with slow_targets(world), visitors(world, "bob", pause=0.5) as people:
            run = world.playbook("login_access", *arguments)
            again = world.playbook("login_access", *arguments)
            world.eventually(lambda: hold(enough(people)))
        assert session.communicate("after\n", timeout=20)[0] == "after\n"
    assert people.refused == [], (people.refused[:4], run.log)
    assert (run.rc, run.status, again.rc) == (0, "changed", 0), (run.log, again.log)
    return run


def enough(people: Visitors) -> bool:
    return len(people.visits) > 20


@pytest.mark.slow
def test_ports_change_without_a_refused_login(world: World):
    other = ("-e", "hyperpod_people_port=333", "-e", "hyperpod_gate_port=334")
    move(world, *other)
    assert (serving(world), health_check_port(world)) == (login_targets(world, 333), "334")
    assert_converges(world, *other)
    assert rules(world) == {"in": {333, 334}, "out": {333, 334}}
    assert not any(listens(node, port) for node in world.login_nodes() for port in (PEOPLE, GATE))
    move(world)
    assert (serving(world), health_check_port(world)) == (login_targets(world, PEOPLE), str(GATE))
    assert_people_log_in(world)


@pytest.mark.slow
def test_a_cluster_of_an_earlier_release_moves_without_a_refused_login(world: World):
    world.eventually(lambda: hold("draining" not in world.targets().values()), seconds=300)  # no connections to the previous test's ports
    restore_earlier_release(world)
    assert all({22, 2022} <= ports and not {PEOPLE, GATE} & ports for ports in rules(world).values())
    planned = world.playbook("login_access", "--check", "--diff")
    assert planned.rc == 0 and serving(world) == login_targets(world, 22), planned.log
    move(world)
    assert (serving(world), health_check_port(world)) == (login_targets(world, PEOPLE), str(GATE))
    assert_converges(world)
    assert rules(world) == {"in": {PEOPLE, GATE}, "out": {PEOPLE, GATE}}
    assert not any(listens(node, 2022) for node in world.login_nodes())
    assert_people_log_in(world)


def restore_earlier_release(world: World) -> None:
    """The state of an earlier release, with people on port 22 of sshd and the health check on port 2022."""
    elbv2, ec2 = world.aws("elbv2"), world.aws("ec2")
    nodes = world.node_security_group()
    groups = ec2.describe_security_groups()["SecurityGroups"]
    balancer = next(each for each in groups if each["GroupName"].startswith("mlfleet-hyperpod-"))
    tags = [{"ResourceType": "security-group-rule", "Tags": balancer["Tags"]}]
    for old, new in ((22, PEOPLE), (2022, GATE)):
        for group, peer, grant, revoke in (
            (nodes, balancer["GroupId"], ec2.authorize_security_group_ingress, ec2.revoke_security_group_ingress),
            (balancer["GroupId"], nodes, ec2.authorize_security_group_egress, ec2.revoke_security_group_egress),
        ):
            permission = {"IpProtocol": "tcp", "UserIdGroupPairs": [{"GroupId": peer}]}
            grant(GroupId=group, IpPermissions=[{**permission, "FromPort": old, "ToPort": old}], TagSpecifications=tags)
            revoke(GroupId=group, IpPermissions=[{**permission, "FromPort": new, "ToPort": new}])
    for node in world.login_nodes():
        done = world.on_node(node["instance_id"], "sh", "-euc", OLD_NODE, "sh", OLD_SOCKET, OLD_SERVICE)
        assert done.returncode == 0, done.stdout
    arn = elbv2.describe_target_groups()["TargetGroups"][0]["TargetGroupArn"]
    elbv2.modify_target_group(TargetGroupArn=arn, HealthCheckPort="2022")
    for port, change in ((22, elbv2.register_targets), (PEOPLE, elbv2.deregister_targets)):
        change(TargetGroupArn=arn, Targets=[{"Id": node["ip"], "Port": port} for node in world.login_nodes()])
    world.eventually(lambda: hold({world.targets()[target] for target in login_targets(world, 22)} == {"healthy"}))
    assert met(world.login("alice")) == "served"


def replaced(world: World) -> None:
    for node in world.login_nodes():
        world.replace(node["instance_id"])


def updated(world: World) -> None:
    world.update_software("login-group")


@pytest.mark.parametrize(("login", "blank"), [(1, replaced), (2, updated)])
def test_no_login_meets_another_host_key_if_all_login_nodes_are_blank_at_once(login: int, blank: t.Callable[[World], None]):
    world = ready_world(login=login, compute=0)
    with visitors(world, "alice", pause=0.2) as people:
        blank(world)
        alias = ("-o", f"HostKeyAlias={world.login_name}")
        for node in world.login_nodes():
            itself = ("bob", "true", node["ip"], *alias)
            world.eventually(lambda itself=itself: hold(met(world.login(*itself)) == "met another host key"))
        world.eventually(lambda: hold(set(world.target_health().values()) == {"unhealthy"}))
        assert [met(world.login("bob")) for _turn in range(20)] == ["refused"] * 20
        run = world.playbook("reconcile")
        assert (run.rc, run.status) == (0, "changed"), run.log
    assert people.met_another_key == [] and len(people.refused) > 5
    world.expect_all_serve()
