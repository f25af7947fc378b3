# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""login_targets against the simulated API: which nodes are registered, and which are removed."""

from __future__ import annotations

import time

import pytest
import reported
from simulated.shape import one_shape


@pytest.fixture(scope="module")
def cluster(simulator, network):
    sagemaker = simulator.client("sagemaker")
    group = {
        "InstanceGroupName": "login-group",
        "InstanceType": "ml.m5.xlarge",
        "InstanceCount": 3,
        "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod-nodes",
        "SlurmConfig": {"NodeType": "Login"},
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-lab/lifecycle", "OnCreate": "on_create.sh"},
    }
    sagemaker.create_cluster(
        ClusterName="ml",
        InstanceGroups=[group],
        VpcConfig={"SecurityGroupIds": network["groups"][:1], "Subnets": network["subnets"][:1]},
        Orchestrator={"Slurm": {}},
        NodeProvisioningMode="Continuous",
    )
    simulator.run("target_group", name="hp-login", port=22, vpc_id=network["vpc"])
    return group


class TestLoginTargets:
    """The tests depend on each other and run in this order."""

    def nodes(self, simulator, count: int) -> list[str]:
        """Wait until ``count`` nodes run, and return their IDs."""
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

    def test_nodes_are_registered_and_removed(self, simulator, network, cluster):
        nodes = self.nodes(simulator, 3)
        simulator.run("target_group", name="hp-shape", port=22, vpc_id=network["vpc"])
        group = {"target_group": "hp-shape", "cluster_arn": self.arn(simulator), "port": 222, "wait": False}
        health = ["targets", "login_service", "all_unhealthy", "draining_ports", "hyperpod_findings"]
        one_shape(
            simulator,
            "login_targets",
            present={**group, "verified": nodes},
            absent={**group, "drained": nodes, "minimum_healthy": 0},
            unforeseen=health,
            passing=health,
        )
        simulator.run("target_group", name="hp-shape", state="absent")

    def test_a_slow_registration_is_reported(self, simulator, network, cluster):
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
        assert made["changed"] and f"was registered and is {state}" in " ".join(reported.texts_of(made, "note"))
        assert [each for each in reported.texts_of(made, "pending") if nodes[0] in each] == []
        assert made["login_service"]["finding"]["code"] == "login-service-starting"
        second = simulator.run("login_targets", **slow)
        assert not second["changed"] and not reported.texts_of(second, "note")
        assert f"is registered but {state}." in " ".join(reported.texts_of(second, "pending"))
        assert second["login_service"]["finding"]["code"] == "no-login-service"
        for module in ("network_load_balancer", "target_group"):
            simulator.run(module, name="hp-slow", state="absent")

    @pytest.mark.parametrize("operation", ["ListClusterNodes", "DescribeClusterNode", "DescribeCluster"])
    def test_nothing_is_removed_without_a_complete_listing(self, simulator, cluster, faults, operation):
        before = self.registered(simulator)
        faults(kind="error500", operation=operation)
        failed = self.targets(simulator, aws_config={"retries": {"max_attempts": 1}})
        assert failed["failed"] and operation in failed["msg"] and not failed["mutating"]
        assert self.registered(simulator) == before

    def test_a_target_without_a_node_and_the_empty_group_are_removed(self, simulator, cluster):
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
