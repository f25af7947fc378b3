# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes move from the old login port to a new one: they must be healthy there before they leave the old port."""

from __future__ import annotations

import time

import pytest
import reported
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.model import (
    Desired,
    LoginNode,
    State,
    Target,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.plan import LEAVE_FORMER_PORT, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.result import result

ARN = "arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml/73e2d6bc24d8a067"
NODE, OTHER = "i-0000000000000000a", "i-0000000000000000b"
IP, OTHER_IP = "10.1.1.11", "10.1.2.12"
OLD, NEW = 22, 222


def desired(**settings) -> Desired:
    return Desired(**{"target_group": "hp-ml", "minimum_healthy": 0, "port": NEW, **settings})


def state(*registered: Target, status: str = "Running") -> State:
    return State(ARN, registered, (LoginNode(NODE, IP, status),))


def steps(the_plan) -> list[tuple[str, list[str]]]:
    return [
        (step.operation.partition(",")[0], [f"{target['Id']}:{target['Port']}" for target in step.arguments["Targets"]])
        for step in the_plan.steps
    ]


OLD_PORT, NEW_PORT = [f"{IP}:{OLD}"], [f"{IP}:{NEW}"]
LEAVE, JOIN = ("DeregisterTargets", OLD_PORT), ("RegisterTargets", NEW_PORT)


@pytest.mark.parametrize(
    ("situation", "registered", "settings", "expected"),
    [
        ("a verified node joins, then leaves", [OLD], {"verified": True}, [JOIN, LEAVE]),
        ("a node that was not verified stays", [OLD], {}, []),
        ("a node in transition stays", [OLD], {"verified": True, "status": "SystemUpdating"}, []),
        ("nothing joins before nodes are configured", [OLD], {"verified": True, "phase": "deregister"}, []),
        ("a node that is healthy at the new port leaves at once", [OLD, (NEW, "healthy")], {}, [LEAVE]),
        ("also in the phase before", [OLD, (NEW, "healthy")], {"phase": "deregister"}, [LEAVE]),
        ("a node that is not healthy yet stays", [OLD, (NEW, "initial")], {}, []),
        ("a verified node leaves when it is healthy", [OLD, (NEW, "unhealthy")], {"verified": True}, [LEAVE]),
        ("a drained node is removed", [OLD], {"verified": True, "drained": True}, [LEAVE]),
        (
            "also in the phase before, at both ports",
            [OLD, (NEW, "healthy")],
            {"drained": True, "phase": "deregister"},
            [("DeregisterTargets", OLD_PORT + NEW_PORT)],
        ),
        ("a node that leaves the cluster is removed", [OLD], {"status": "ShuttingDown"}, [LEAVE]),
        ("a node that drains at the new port is registered again", [OLD, (NEW, "draining")], {"verified": True}, [JOIN, LEAVE]),
        ("a node that drains at the old port is left alone", [(OLD, "draining"), (NEW, "healthy")], {"verified": True}, []),
    ],
)
def test_a_node_at_another_port(situation, registered, settings, expected):
    targets = [Target(IP, *(entry if isinstance(entry, tuple) else (entry, "healthy"))) for entry in registered]
    wanted = desired(
        verified=frozenset([NODE] if settings.get("verified") else []),
        drained=frozenset([NODE] if settings.get("drained") else []),
        phase=settings.get("phase", "reconcile"),
    )
    the_plan = plan(wanted, state(*targets, status=settings.get("status", "Running")))
    assert steps(the_plan) == expected, situation


def test_a_node_leaves_only_in_the_waiting_step():
    wanted, observed = desired(verified=frozenset([NODE])), state(Target(IP, OLD, "healthy"))
    the_plan = plan(wanted, observed)
    assert [step.operation for step in the_plan.steps] == ["RegisterTargets", LEAVE_FORMER_PORT]
    assert the_plan.steps[1].changes[0].after == "the login port is 222"
    foreseen = result(wanted, the_plan.after(observed), waited=None)
    assert (foreseen["ports"], foreseen["draining_ports"], foreseen["all_verified"]) == ([NEW], [OLD], True)
    assert reported.texts_of(foreseen, "note") == []


def test_each_node_moves_in_a_step_of_its_own():
    nodes = (LoginNode(NODE, IP, "Running"), LoginNode(OTHER, OTHER_IP, "Running"))
    observed = State(ARN, (Target(IP, OLD, "healthy"), Target(OTHER_IP, OLD, "healthy")), nodes)
    the_plan = plan(desired(verified=frozenset([NODE, OTHER])), observed)
    assert steps(the_plan) == [
        ("RegisterTargets", [f"{IP}:{NEW}", f"{OTHER_IP}:{NEW}"]),
        ("DeregisterTargets", [f"{IP}:{OLD}"]),
        ("DeregisterTargets", [f"{OTHER_IP}:{OLD}"]),
    ]


@pytest.mark.parametrize("port", [OLD, NEW])
@pytest.mark.parametrize(("minimum", "removed"), [(0, 2), (1, 1), (2, 0)])
def test_minimum_healthy_counts_nodes_at_any_port(port, minimum, removed):
    nodes = (LoginNode(NODE, IP, "Running"), LoginNode(OTHER, OTHER_IP, "Running"))
    observed = State(ARN, tuple(Target(node.ip, port, "healthy") for node in nodes), nodes)
    wanted = desired(drained=frozenset([NODE, OTHER]), minimum_healthy=minimum)
    assert sum(len(targets) for _operation, targets in steps(plan(wanted, observed))) == removed


def test_a_move_needs_no_other_node():
    observed = state(Target(IP, OLD, "healthy"), Target(IP, NEW, "healthy"))
    wanted = desired(verified=frozenset([NODE]), minimum_healthy=1)
    assert steps(plan(wanted, observed)) == [LEAVE]


@pytest.mark.parametrize(
    ("registered", "verified", "expected"),
    [
        ((), False, ([], True)),
        (((NEW, "healthy"),), True, ([NEW], True)),
        (((NEW, "healthy"),), False, ([NEW], False)),
        (((OLD, "draining"), (NEW, "healthy")), True, ([NEW], True)),
        (((OLD, "healthy"), (NEW, "initial")), True, ([OLD, NEW], False)),
    ],
)
def test_the_health_check_may_change_once_every_target_is_verified_at_the_port(registered, verified, expected):
    observed = state(*(Target(IP, *each) for each in registered))
    report = result(desired(verified=frozenset([NODE] if verified else [])), observed, waited=None)
    assert (report["ports"], report["all_verified"]) == expected


def test_unmoved_nodes_are_noted_only_after_nodes_are_configured():
    observed = state(Target(IP, OLD, "healthy"), Target(IP, NEW, "initial"))
    report = result(desired(verified=frozenset([NODE])), observed, waited=420, registered={(IP, NEW)})
    assert reported.texts_of(report, "pending") == []
    assert reported.texts_of(report, "note")[-1] == (
        "10.1.1.11:22 of target group hp-ml still get logins at a previous login port. A run removes each of these targets once its "
        "node is healthy at the current port 222. "
        "The next run checks again."
    )
    assert result(desired(phase="deregister"), observed, waited=None)["hyperpod_findings"] == []


# -- as a module, against the simulated API ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster(simulator) -> dict[str, str]:
    """Two login nodes at port 22, in a target group that checks the health of each target at its own port."""
    ec2, sagemaker, elbv2 = (simulator.client(service) for service in ("ec2", "sagemaker", "elbv2"))
    simulator.control("settings", {"elb_unseen_seconds": 0, "health_check_scale": 0.01})
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.1.0/24", AvailabilityZone="us-west-2a")["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
    everything = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=everything)
    login = {
        "InstanceGroupName": "login-group",
        "InstanceType": "ml.m5.xlarge",
        "InstanceCount": 2,
        "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod-nodes",
        "SlurmConfig": {"NodeType": "Login"},
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-lab/lifecycle", "OnCreate": "on_create.sh"},
    }
    sagemaker.create_cluster(
        ClusterName="ml",
        InstanceGroups=[login],
        VpcConfig={"SecurityGroupIds": [group], "Subnets": [subnet]},
        Orchestrator={"Slurm": {}},
        NodeProvisioningMode="Continuous",
    )
    arn = elbv2.create_target_group(Name="hp-ml", Protocol="TCP", Port=22, VpcId=vpc, TargetType="ip")
    arn = arn["TargetGroups"][0]["TargetGroupArn"]
    balancer = elbv2.create_load_balancer(Name="hp-ml", Type="network", Scheme="internal", Subnets=[subnet])
    forward = [{"Type": "forward", "TargetGroupArn": arn}]
    listener = {"LoadBalancerArn": balancer["LoadBalancers"][0]["LoadBalancerArn"], "Protocol": "TCP", "Port": 22}
    elbv2.create_listener(**listener, DefaultActions=forward)
    nodes = _eventually(lambda: _running(sagemaker))
    elbv2.register_targets(TargetGroupArn=arn, Targets=[{"Id": ip, "Port": OLD} for ip in nodes.values()])
    return nodes


def arn_of(simulator) -> str:
    arn: str = simulator.client("sagemaker").describe_cluster(ClusterName="ml")["ClusterArn"]
    return arn


def _running(sagemaker) -> dict[str, str]:
    found = sagemaker.list_cluster_nodes(ClusterName="ml")["ClusterNodeSummaries"]
    running = [each["InstanceId"] for each in found if each["InstanceStatus"]["Status"] == "Running"]
    assert len(running) == 2
    described = [sagemaker.describe_cluster_node(ClusterName="ml", NodeId=node)["NodeDetails"] for node in running]
    return {each["InstanceId"]: each["PrivatePrimaryIp"] for each in described}


def _eventually(body):
    deadline = time.monotonic() + 60
    while True:
        try:
            return body()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def test_a_node_leaves_the_old_port_only_when_it_is_healthy_at_the_new_one(simulator, cluster):
    (_first, ready), (_second, silent) = cluster.items()
    elbv2 = simulator.client("elbv2")

    def registered() -> set[tuple[str, int, str]]:
        arn = elbv2.describe_target_groups()["TargetGroups"][0]["TargetGroupArn"]
        found = elbv2.describe_target_health(TargetGroupArn=arn)["TargetHealthDescriptions"]
        return {(each["Target"]["Id"], each["Target"]["Port"], each["TargetHealth"]["State"]) for each in found}

    def serving() -> set[tuple[str, int]]:
        return {(ip, port) for ip, port, health in registered() if health != "draining"}

    _eventually(lambda: _same({health for *_target, health in registered()}, {"healthy"}))
    simulator.control("health", {"ip": silent, "port": NEW, "answers": False})
    move = {"target_group": "hp-ml", "cluster_arn": arn_of(simulator), "port": NEW, "verified": list(cluster), "wait_timeout": 4}

    before = simulator.run("login_targets", **{**move, "verified": [], "phase": "deregister"})
    assert before["mutating"] == [] and (before["ports"], before["health_check_port"]) == ([OLD], "traffic-port")
    planned = simulator.run("login_targets", check=True, **move)
    assert planned["mutating"] == [] and len(planned["changes"]) == 4 and planned["ports"] == [NEW]

    done = simulator.run("login_targets", **move)
    assert done["mutating"] == ["RegisterTargets", "DeregisterTargets"], done
    assert serving() == {(ready, NEW), (silent, OLD), (silent, NEW)}
    assert [change["resource"].split()[1] for change in done["changes"] if change["action"] == "delete"] == [f"{ready}:{OLD}"]
    assert f"{silent}:22 of target group hp-ml still get logins" in " ".join(reported.texts_of(done, "note"))
    assert not done["all_verified"] and done["ports"] == [OLD, NEW]

    simulator.control("health", {"ip": silent, "port": NEW, "answers": True})
    ended = simulator.run("login_targets", **move)
    assert ended["mutating"] == ["DeregisterTargets"] and ended["all_verified"] and ended["ports"] == [NEW]
    assert serving() == {(ready, NEW), (silent, NEW)}
    second = simulator.run("login_targets", **move)
    assert (second["changed"], second["mutating"], second["problems"]) == (False, [], [])


def test_a_call_without_a_port_is_refused_because_it_would_remove_all_nodes(simulator, cluster):
    refused = simulator.run("login_targets", target_group="hp-ml", cluster_arn=arn_of(simulator), phase="deregister")
    assert refused["failed"] and "port" in refused["msg"] and refused["mutating"] == []


def _same(found: object, wanted: object) -> None:
    assert found == wanted, found
