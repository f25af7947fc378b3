# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The balancer's modules against the simulated API: create, update and delete, each checked, run and run again."""

from __future__ import annotations

import time

import pytest
import reported

CLUSTER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NAME = "hp-ml-4574af3f"


@pytest.fixture(scope="module")
def network(simulator):
    """A VPC with two subnets and two security groups."""
    ec2 = simulator.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.1.{number}.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
        for number, zone in ((1, "us-west-2a"), (2, "us-west-2b"))
    ]
    groups = [
        ec2.create_security_group(GroupName=name, Description=name, VpcId=vpc)["GroupId"]
        for name in ("nodes", "balancer", "other")
    ]
    return {"vpc": vpc, "subnets": subnets, "groups": groups}


def each_way(simulator, module: str, /, **arguments) -> dict:
    """Check, run, run again; the result of the first run."""
    planned = simulator.run(module, check=True, **arguments)
    done = simulator.run(module, **arguments)
    assert planned["changed"] and planned["mutating"] == []
    assert done["changed"] and done["mutating"]
    for change, plan in zip(done["changes"], planned["changes"]):
        assert (change["action"], change["resource"], change["field"]) == (
            plan["action"],
            plan["resource"],
            plan["field"],
        )
    again = simulator.run(module, **arguments)
    assert (again["changed"], again["changes"], again["mutating"]) == (False, [], [])
    assert not done["problems"]
    return done


def test_target_group_and_load_balancer(simulator, network):
    each_way(
        simulator,
        "target_group",
        name=NAME,
        port=22,
        vpc_id=network["vpc"],
        cluster_arn=CLUSTER,
        health_check={"port": 2022, "interval": 10},
        attributes={"deregistration_delay": 3600, "stickiness": True, "unhealthy_connection_termination": False},
    )
    created = each_way(
        simulator,
        "network_load_balancer",
        name=NAME,
        subnet_mappings=[{"subnet_id": network["subnets"][0], "private_ipv4_address": "10.1.1.200"}],
        security_groups=network["groups"][1:2],
        listeners=[{"port": 22, "target_group_name": NAME, "tcp_idle_timeout": 3600}],
        attributes={"cross_zone": True},
        deletion_protection=True,
        cluster_arn=CLUSTER,
    )
    assert created["network_load_balancer"]["status"] == "active"
    changed = each_way(
        simulator,
        "target_group",
        name=NAME,
        health_check={"port": "traffic-port"},
        attributes={"stickiness": False, "unhealthy_connection_termination": True},
    )
    assert changed["target_group"]["attributes"]["deregistration_delay"] == 3600
    changed = each_way(
        simulator,
        "network_load_balancer",
        name=NAME,
        subnets=network["subnets"],
        security_groups=network["groups"][2:],
        listeners=[{"port": 2222, "target_group_name": NAME}],
        attributes={"cross_zone": False},
        tags={"team": "research"},
        cluster_arn=CLUSTER,
    )
    first, second = sorted(changed["network_load_balancer"]["subnets"], key=lambda each: each["zone"])
    assert (first["private_ipv4_address"], second["private_ipv4_address"]) == ("10.1.1.200", None)
    refused = simulator.run("network_load_balancer", name=NAME, state="absent")
    assert refused["failed"] and "force_delete" in refused["msg"] and not refused["mutating"]
    other = CLUSTER.replace("abc", "xyz")
    for module in ("network_load_balancer", "target_group"):
        foreign = simulator.run(module, name=NAME, state="absent", cluster_arn=other)
        assert not foreign["changed"] and not foreign["mutating"]
    each_way(simulator, "network_load_balancer", name=NAME, state="absent", cluster_arn=CLUSTER, force_delete=True)
    each_way(simulator, "target_group", name=NAME, state="absent", cluster_arn=CLUSTER)


@pytest.fixture
def long_there(simulator):
    """Whatever others made is found at once, as if it had been there for long."""
    before = simulator.control("settings")["elb_unseen_seconds"]
    simulator.control("settings", {"elb_unseen_seconds": 0})
    yield
    simulator.control("settings", {"elb_unseen_seconds": before})


def test_adopted_kept_and_given_back(simulator, network, long_there):
    elbv2 = simulator.client("elbv2")
    team = {"Name": "theirs", "Tags": [{"Key": "team", "Value": "research"}]}
    group = elbv2.create_target_group(Protocol="TCP", Port=22, VpcId=network["vpc"], TargetType="ip", **team)
    arn = group["TargetGroups"][0]["TargetGroupArn"]
    balancer = elbv2.create_load_balancer(Type="network", Scheme="internal", Subnets=network["subnets"], **team)
    forward = {"DefaultActions": [{"Type": "forward", "TargetGroupArn": arn}]}
    listener = {"LoadBalancerArn": balancer["LoadBalancers"][0]["LoadBalancerArn"], "Protocol": "TCP", "Port": 22}
    elbv2.create_listener(**listener, **forward)
    adoption = {"load_balancer": "theirs", "target_group": arn, "cluster_arn": CLUSTER}
    adopted = each_way(simulator, "balancer_adoption", **adoption, scheme="internal")
    assert set(adopted["mutating"]) == {"AddTags"} and adopted["balancer_adoption"]["adopted"]
    refused = simulator.run("balancer_adoption", **{**adoption, "cluster_arn": CLUSTER.replace("abc", "xyz")})
    assert refused["failed"] and "belongs to" in refused["msg"] and not refused["mutating"]
    ours = {"name": "theirs", "cluster_arn": CLUSTER, "purge_tags": False}
    kept = simulator.run("network_load_balancer", **ours, attributes={"cross_zone": True})
    assert kept["mutating"] == ["ModifyLoadBalancerAttributes"]
    given_back = each_way(simulator, "balancer_adoption", **adoption, state="absent")
    assert set(given_back["mutating"]) == {"RemoveTags"} and not given_back["balancer_adoption"]["adopted"]
    each_way(simulator, "network_load_balancer", name="theirs", state="absent")
    each_way(simulator, "target_group", name="theirs", state="absent")


def test_check_mode_on_an_empty_account(simulator, network):
    planned = simulator.run(
        "network_load_balancer",
        check=True,
        name="hp-none",
        subnets=network["subnets"],
        security_groups=network["groups"][:1],
        listeners=[{"port": 22, "target_group_name": "hp-none"}],
    )
    assert planned["changed"] and not planned["mutating"]
    (listener,) = planned["network_load_balancer"]["listeners"]
    assert listener["target_group_arn"] == "(known after apply)"
    really = simulator.run(
        "network_load_balancer",
        name="hp-none",
        subnets=network["subnets"],
        security_groups=network["groups"][:1],
        listeners=[{"port": 22, "target_group_name": "hp-none"}],
    )
    assert really["failed"] and "hp-none, which does not exist" in really["msg"] and not really["mutating"]


def test_one_rule_and_nothing_else(simulator, network):
    nodes, balancer, other = network["groups"]
    ec2 = simulator.client("ec2")
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": nodes}]}]
    foreign = [{"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "UserIdGroupPairs": [{"GroupId": other}]}]
    ec2.authorize_security_group_ingress(GroupId=nodes, IpPermissions=itself + foreign)
    ec2.authorize_security_group_egress(GroupId=nodes, IpPermissions=itself)

    def rules() -> dict:
        found = ec2.describe_security_group_rules(Filters=[{"Name": "group-id", "Values": [nodes]}])
        return {rule["SecurityGroupRuleId"]: rule for rule in found["SecurityGroupRules"]}

    rules()  # the first look does not show new rules
    before = rules()
    rule = {"group_id": nodes, "from_port": 22, "cluster_arn": CLUSTER}
    ours = {**rule, "source_group_name": "balancer", "vpc_id": network["vpc"]}
    created = each_way(simulator, "security_group_rule", **ours, description="SSH")
    assert created["security_group_rule"]["owned"] and created["security_group_rule"]["peer"] == balancer
    each_way(simulator, "security_group_rule", **ours, description="SSH to nodes", tags={"a": "b"})
    second = simulator.run("security_group_rule", **{**ours, "from_port": 2022}, check=True)["security_group_rule"]
    assert created["security_group_rule"]["other_ports"] == [] and second["other_ports"] == [22]
    theirs = simulator.run("security_group_rule", **rule, source_group_id=other, description="mine")
    assert not theirs["changed"] and theirs["security_group_rule"]["owned"] is False
    left = simulator.run("security_group_rule", **rule, source_group_id=other, state="absent")
    assert not left["changed"] and not left["mutating"]
    each_way(simulator, "security_group_rule", **ours, state="absent")
    assert rules() == before


@pytest.mark.parametrize("inner", ["GetSecurityGroupsForVpc", "DescribeAccountAttributes"])
def test_what_elastic_load_balancing_asks_of_the_caller_is_named(simulator, network, faults, inner):
    faults(kind="deny", service="ec2", operation=inner)
    refused = simulator.run(
        "network_load_balancer", name="hp-denied", subnets=network["subnets"], security_groups=network["groups"][:1]
    )
    assert refused["failed"] and refused["error"]["code"] == "AccessDenied"
    assert f"not authorized to perform: ec2:{inner}" in refused["msg"] and "allow the action" in refused["msg"]
    assert not refused["problems"]
    left = simulator.run("network_load_balancer", check=True, name="hp-denied", state="absent")
    assert not left["changed"]


LOST = (
    "CreateTargetGroup",
    "ModifyTargetGroupAttributes",
    "CreateLoadBalancer",
    "ModifyLoadBalancerAttributes",
    "CreateListener",
    "ModifyListenerAttributes",
    "DeleteListener",
    "DeleteLoadBalancer",
    "DeleteTargetGroup",
)


def test_lost_replies_double_nothing(simulator, network, faults):
    for operation in LOST:
        faults(kind="cut_after", operation=operation, times=1)
    target_group = {
        "name": "hp-lost",
        "port": 22,
        "vpc_id": network["vpc"],
        "cluster_arn": CLUSTER,
        "attributes": {"deregistration_delay": 3600},
    }
    balancer = {
        "name": "hp-lost",
        "subnets": network["subnets"],
        "security_groups": network["groups"][:1],
        "listeners": [{"port": 22, "target_group_name": "hp-lost", "tcp_idle_timeout": 600}],
        "attributes": {"cross_zone": True},
        "cluster_arn": CLUSTER,
    }
    gone = {"name": "hp-lost", "state": "absent", "cluster_arn": CLUSTER}
    for module, arguments, exists in (
        ("target_group", target_group, True),
        ("network_load_balancer", balancer, True),
        ("network_load_balancer", gone, False),
        ("target_group", gone, False),
    ):
        result = simulator.run(module, **arguments)
        assert not result.get("failed"), result["msg"]
        assert result[module]["exists"] is exists
        assert not simulator.run(module, **arguments)["mutating"]
    assert [rule["fired"] for rule in simulator.control("faults")] == [1] * len(LOST)


@pytest.fixture(scope="module")
def cluster(simulator, network):
    sagemaker = simulator.client("sagemaker")
    group = {
        "InstanceGroupName": "login-group",
        "InstanceType": "ml.m5.xlarge",
        "InstanceCount": 3,
        "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod",
        "SlurmConfig": {"NodeType": "Login"},
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-lab/lifecycle", "OnCreate": "on_create.sh"},
    }
    sagemaker.create_cluster(
        ClusterName="ml",
        InstanceGroups=[group],
        VpcConfig={"SecurityGroupIds": network["groups"][:1], "Subnets": network["subnets"][:1]},
        Orchestrator={"Slurm": {"SlurmConfigStrategy": "Managed"}},
        NodeProvisioningMode="Continuous",
    )
    simulator.run("target_group", name="hp-login", port=22, vpc_id=network["vpc"])
    return group


class TestLoginTargets:
    """In this order: the tests build on each other."""

    def nodes(self, simulator, count: int) -> list[str]:
        """The ids of the nodes, once there are as many as wanted and all run."""
        sagemaker = simulator.client("sagemaker")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = sagemaker.list_cluster_nodes(ClusterName="ml")["ClusterNodeSummaries"]
            running = [node["InstanceId"] for node in found if node["InstanceStatus"]["Status"] == "Running"]
            if len(running) == len(found) == count:
                return sorted(running)
            time.sleep(0.2)
        raise AssertionError(f"not {count} running nodes: {found}")

    def arn(self, simulator) -> str:
        return simulator.client("sagemaker").list_clusters()["ClusterSummaries"][0]["ClusterArn"]

    def targets(self, simulator, **arguments) -> dict:
        group = {"target_group": "hp-login", "cluster_arn": self.arn(simulator), "port": 222, "wait": False}
        return simulator.run("login_targets", **group, **arguments)

    def registered(self, simulator) -> set[str]:
        elb = simulator.client("elbv2")
        arn = elb.describe_target_groups(Names=["hp-login"])["TargetGroups"][0]["TargetGroupArn"]
        found = elb.describe_target_health(TargetGroupArn=arn)["TargetHealthDescriptions"]
        return {each["Target"]["Id"] for each in found if each["TargetHealth"]["State"] != "draining"}

    def test_only_verified_nodes_are_registered(self, simulator, cluster):
        nodes = self.nodes(simulator, 3)
        held = self.targets(simulator)
        assert not held["changed"] and {row["decision"] for row in held["targets"]} == {"hold"}
        planned = self.targets(simulator, verified=nodes[:2], check=True)
        assert planned["changed"] and not planned["mutating"]
        done = self.targets(simulator, verified=nodes[:2])
        assert done["mutating"] == ["RegisterTargets"] and len(self.registered(simulator)) == 2
        assert self.targets(simulator, verified=nodes)["mutating"] == ["RegisterTargets"]
        assert self.targets(simulator, verified=nodes)["mutating"] == []
        assert self.targets(simulator)["mutating"] == []

    def test_a_registration_that_takes_minutes_is_told(self, simulator, network, cluster):
        nodes = self.nodes(simulator, 3)
        simulator.run("target_group", name="hp-slow", port=22, vpc_id=network["vpc"])
        balancer = {"name": "hp-slow", "subnets": network["subnets"], "security_groups": network["groups"][:1]}
        listeners = [{"port": 22, "target_group_name": "hp-slow"}]
        assert simulator.run("network_load_balancer", **balancer, listeners=listeners)["changed"]
        slow = {"target_group": "hp-slow", "cluster_arn": self.arn(simulator), "port": 22, "verified": nodes[:1], "wait_timeout": 1}
        simulator.control("settings", {"registration_seconds": 3600})
        try:
            made = simulator.run("login_targets", **slow)
        finally:
            simulator.control("settings", {"registration_seconds": 0})
        state = "initial (Elb.RegistrationInProgress) after 1 s"
        assert made["changed"] and f"was registered and is {state}" in " ".join(reported.told(made, "note"))
        assert [each for each in reported.told(made, "pending") if nodes[0] in each] == []
        assert made["login_service"]["finding"]["code"] == "login-service-starting"
        again = simulator.run("login_targets", **slow)
        assert not again["changed"] and not reported.told(again, "note")
        assert f"is registered but {state}." in " ".join(reported.told(again, "pending"))
        assert again["login_service"]["finding"]["code"] == "no-login-service"
        for module in ("network_load_balancer", "target_group"):
            simulator.run(module, name="hp-slow", state="absent")

    @pytest.mark.parametrize("operation", ["ListClusterNodes", "DescribeClusterNode", "DescribeCluster"])
    def test_what_cannot_be_listed_is_not_removed(self, simulator, cluster, faults, operation):
        before = self.registered(simulator)
        faults(kind="error500", operation=operation)
        failed = self.targets(simulator, aws_config={"retries": {"max_attempts": 1}})
        assert failed["failed"] and operation in failed["msg"] and not failed["mutating"]
        assert self.registered(simulator) == before

    def test_an_address_of_nobody_goes_and_the_empty_group_too(self, simulator, cluster):
        elb = simulator.client("elbv2")
        arn = elb.describe_target_groups(Names=["hp-login"])["TargetGroups"][0]["TargetGroupArn"]
        elb.register_targets(TargetGroupArn=arn, Targets=[{"Id": "10.1.1.250", "Port": 22}])
        out = self.targets(simulator, phase="deregister")
        assert out["mutating"] == ["DeregisterTargets"] and "10.1.1.250" not in self.registered(simulator)
        simulator.client("sagemaker").update_cluster(ClusterName="ml", InstanceGroups=[{**cluster, "InstanceCount": 0}])
        self.nodes(simulator, 0)
        assert self.targets(simulator)["mutating"] == ["DeregisterTargets"]
        assert self.registered(simulator) == set()

    def test_a_group_that_does_not_exist_is_refused(self, simulator, cluster):
        refused = self.targets(simulator, group="login")
        assert refused["failed"] and "login-group" in refused["msg"]
