# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook cluster: clusters are created from their definitions, changed, compared and removed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import iam_roles
from simulated import REGION, Simulated
from simulated.cluster_documents import BOUNDARY, CONTROLLER, LOGIN, WORKERS, defined, document, eks, group, without_slurm_config
from simulated.definitions import Definitions, held_to_policies


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulated]:
    with held_to_policies(tmp_path_factory.mktemp("aws")) as found:
        yield found


def assert_aws_cli_agrees(aws: Simulated, name: str) -> None:
    """Compare the module's result with the output of the aws command."""
    command = [str(Path(sys.executable).with_name("aws")), "--region", REGION, "sagemaker", "describe-cluster", "--cluster-name", name]
    keys = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example"}
    done = subprocess.run(
        command, env={**os.environ, **keys, "AWS_ENDPOINT_URL": aws.url}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    printed, returned = json.loads(done.stdout), aws.start("cluster", name=name)["cluster"]
    assert (printed["ClusterArn"], printed["ClusterStatus"]) == (returned["cluster_arn"], returned["status"])
    definition = returned["definition"]
    assert (printed["NodeRecovery"], printed["VpcConfig"]["Subnets"]) == (definition["node_recovery"], definition["vpc_config"]["subnets"])
    groups = [(each["InstanceGroupName"], each["TargetCount"], each["SlurmConfig"]["NodeType"]) for each in printed["InstanceGroups"]]
    assert groups == [
        (each["name"], each["instance_count"], each["slurm_config"]["node_type"]) for each in definition["instance_groups"]
    ]


PRICE = "Price of the new nodes: 2 x ml.m5.large: price unknown."
ROOM = "(used + planned of the limit): ml.m5.large for cluster usage 0 + 2 of 20; "


LOOKUPS = {"DescribeSubnets", "DescribeSecurityGroups", "DescribeFileSystems"}
"""Calls that a definition with IDs only does not need."""


def test_a_cluster_is_predicted_created_and_then_unchanged(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    defined(controller, tmp_path / "ml.json", "ml", controller.network(), CONTROLLER, LOGIN)
    foreseen = controller.run("--check", "--diff")
    assert foreseen.rc == 0 and foreseen.changes == [], foreseen.output
    assert PRICE in foreseen.output and ROOM in foreseen.output and "login-group" in foreseen.output

    made = controller.run()
    assert made.rc == 0 and PRICE in made.output and ROOM in made.output, made.output
    assert made.changes == ["CreateCluster"] and not LOOKUPS & set(made.calls)
    assert aws.client("sagemaker").describe_cluster(ClusterName="ml")["ClusterArn"] in made.output

    again = controller.run()
    assert again.rc == 0 and again.changes == [] and "changed=0" in again.output, again.output
    assert "GetProducts" not in again.calls and "Quotas with" not in again.output, "a run without new nodes needs no price and no quota"
    assert_aws_cli_agrees(aws, "ml")


@pytest.mark.slow
def test_a_changed_definition_is_applied_within_the_quota(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    network, file = controller.network(), tmp_path / "two.json"
    aws.client("sagemaker").create_cluster(**document("two", network, CONTROLLER, LOGIN))

    defined(controller, file, "two", network, CONTROLLER, LOGIN, {**WORKERS, "InstanceCount": 21})
    refused = controller.run()
    assert refused.rc == 2 and refused.changes == []
    assert "The quota 'ml.m5.large for cluster usage' is 20, and 2" in refused.output

    defined(controller, file, "two", network, CONTROLLER, LOGIN, WORKERS, NodeRecovery="None")
    changed = controller.run()
    assert changed.rc == 0, changed.output
    assert [call for call in changed.changes if "Parameter" not in call] == ["UpdateCluster"]
    assert_aws_cli_agrees(aws, "two")


def test_groups_missing_in_the_definition_are_purged_if_requested(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    network, file = controller.network(), tmp_path / "three.json"
    aws.client("sagemaker").create_cluster(**document("three", network, CONTROLLER, LOGIN, WORKERS))

    defined(controller, file, "three", network, CONTROLLER, LOGIN)
    purged = controller.run(hyperpod_cluster_purge_instance_groups=True)
    assert purged.rc == 0, purged.output
    groups = aws.client("sagemaker").describe_cluster(ClusterName="three")["InstanceGroups"]
    assert [each["InstanceGroupName"] for each in groups] == ["controller-machine", "login-group"]


@pytest.mark.slow
def test_a_cluster_is_removed_by_its_arn(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    network, file = controller.network(), tmp_path / "four.json"
    arn = aws.client("sagemaker").create_cluster(**document("four", network, CONTROLLER))["ClusterArn"]
    defined(controller, file, "four", network, CONTROLLER)
    previous = f"{arn.rpartition('/')[0]}/{'0' * 12}"
    other = controller.run(hyperpod_cluster_remove=previous)
    assert other.rc == 2 and other.changes == [], other.output
    foreseen = controller.run("--check", hyperpod_cluster_remove=arn)
    assert foreseen.rc == 0 and foreseen.changes == [], foreseen.output
    assert "Deleting cluster four deletes its nodes and the data on their disks: controller-machine 1 (i-" in foreseen.output
    assert "Running jobs: unknown" in foreseen.output, foreseen.output
    gone = controller.run(hyperpod_cluster_remove=arn)
    assert gone.rc == 0, gone.output
    assert "four" not in [each["ClusterName"] for each in aws.client("sagemaker").list_clusters()["ClusterSummaries"]]
    assert controller.run(hyperpod_cluster_remove=arn).rc == 0
    assert aws.start("cluster_lock", cluster_arn=arn, state="query")["holder"] is None


def named(resource: str, name: str) -> dict[str, t.Any]:
    return {"Resources": [resource], "Tags": [{"Key": "Name", "Value": name}]}


@pytest.mark.slow
def test_a_definition_may_use_names_of_subnets_security_groups_and_file_systems(tmp_path: Path, aws: Simulated) -> None:
    """A security group of the same name in another VPC does not matter."""
    controller = Definitions(tmp_path, aws)
    ec2, network = aws.client("ec2"), controller.network()
    assert controller.network() != network
    ec2.create_tags(**named(network["Subnets"][0], "private-a"))
    shared = aws.client("fsx").create_file_system(
        FileSystemType="LUSTRE", StorageCapacity=1200, SubnetIds=network["Subnets"], Tags=[{"Key": "Name", "Value": "shared"}]
    )["FileSystem"]
    own = {"OverrideVpcConfig": {"Subnets": network["Subnets"], "SecurityGroupIds": ["nodes"]}}
    login = {**LOGIN, "InstanceStorageConfigs": [{"FsxLustreConfig": {"DnsName": "shared", "MountPath": "/fsx"}}]}
    place = {"Subnets": ["private-a"], "SecurityGroupIds": ["nodes"]}
    defined(controller, tmp_path / "seven.json", "seven", place, {**CONTROLLER, **own}, login)
    foreseen = controller.run("--check", "--diff")
    assert foreseen.rc == 0 and foreseen.changes == [] and set(foreseen.calls) >= LOOKUPS, foreseen.output
    assert network["Subnets"][0] in foreseen.output and shared["DNSName"] in foreseen.output

    made = controller.run()
    assert made.rc == 0 and made.changes == ["CreateCluster"], made.output
    found = aws.client("sagemaker").describe_cluster(ClusterName="seven")
    head, people = found["InstanceGroups"]
    assert found["VpcConfig"] == head["OverrideVpcConfig"] == network
    mount = {"DnsName": shared["DNSName"], "MountName": shared["LustreConfiguration"]["MountName"], "MountPath": "/fsx"}
    assert people["InstanceStorageConfigs"] == [{"FsxLustreConfig": mount}]
    again = controller.run()
    assert again.rc == 0 and again.changes == [] and "changed=0" in again.output, again.output

    (other,) = controller.network()["Subnets"]
    ec2.create_tags(**named(other, "private-a"))
    both = ", ".join(sorted([other, *network["Subnets"]]))
    several = controller.run("--check")
    message = f"hyperpod_cluster_definition_file.VpcConfig.Subnets: 'private-a' is not allowed: {both} have this name."
    assert several.rc == 2 and message in several.output and "CreateCluster" not in several.calls, several.output


def test_an_unknown_name_is_refused_before_any_change(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    place = {**controller.network(), "Subnets": ["private-x"]}
    defined(controller, tmp_path / "eight.json", "eight", place, CONTROLLER)
    refused = controller.run()
    assert refused.rc == 2 and refused.changes == [], refused.output
    assert "hyperpod_cluster_definition_file.VpcConfig.Subnets: 'private-x' is not allowed: no resource has this name." in refused.output


@pytest.mark.slow
def test_role_and_scripts_are_created_before_a_cluster_without_slurm_config(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    controller.define(old=without_slurm_config(controller, tmp_path, "old"))
    foreseen = controller.run("--check")
    assert foreseen.rc == 0 and foreseen.changes == [], foreseen.output

    aws.fault(kind="cut_after", operation="CreateRole", times=1)
    made = controller.run()
    assert made.rc == 0, made.output
    assert "node_types: {'controller-machine': 'controller', 'login-group': 'login', 'workers': 'compute'}" in made.output
    found = aws.client("sagemaker").describe_cluster(ClusterName="old")["InstanceGroups"]
    iam, name = aws.client("iam"), "hyperpod-nodes-old"
    role = iam.get_role(RoleName=name)["Role"]
    assert {each["ExecutionRole"] for each in found} == {role["Arn"]}
    assert role["PermissionsBoundary"]["PermissionsBoundaryArn"] == BOUNDARY
    assert role["AssumeRolePolicyDocument"] == iam_roles.trust("sagemaker.amazonaws.com", "111111111111")
    attached = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
    assert [each["PolicyName"] for each in attached] == ["AmazonSageMakerClusterInstanceRolePolicy"]
    objects = aws.client("s3").list_objects_v2(Bucket="sagemaker-code", Prefix="old/")["Contents"]
    assert sorted(each["Key"] for each in objects) == [
        "old/src/on_create.sh",
        "old/src/provisioning_parameters.json",
        "old/src/utils/users.py",
    ]

    again = controller.run()
    assert again.rc == 0 and again.changes == [] and "changed=0" in again.output, again.output

    (tmp_path / "src/on_create.sh").write_text("#!/bin/bash\nset -e\n")
    before = {"Effect": "Allow", "Principal": {"Service": "sagemaker.amazonaws.com"}, "Action": "sts:AssumeRole"}
    iam.delete_role_permissions_boundary(RoleName=name)
    iam.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [before]}))
    changed = controller.run()
    assert changed.changes == ["PutRolePermissionsBoundary", "PUT /sagemaker-code/old/src/on_create.sh", "PutParameter"], changed.output
    assert f"The trust policy of the IAM role {name} allows more than sagemaker.amazonaws.com" in " ".join(changed.output.split())


@pytest.mark.slow
def test_a_foreign_role_of_the_same_name_is_not_changed(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    controller.define(taken=without_slurm_config(controller, tmp_path, "taken"))
    iam = aws.client("iam")
    foreign = iam.create_role(RoleName="hyperpod-nodes-taken", AssumeRolePolicyDocument="{}", Description="Of another team")["Role"]
    for check in (("--check",), ()):
        refused = controller.run(*check)
        assert refused.rc == 2 and refused.changes == [], refused.output
        assert "hyperpod_cluster_execution_role: IAM role hyperpod-nodes-taken exists and was not created for nodes" in refused.output
    assert iam.get_role(RoleName="hyperpod-nodes-taken")["Role"]["Description"] == foreign["Description"]
    assert iam.list_attached_role_policies(RoleName="hyperpod-nodes-taken")["AttachedPolicies"] == []


@pytest.mark.slow
def test_an_unsuitable_eks_cluster_is_refused_before_any_change(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    network = controller.network()
    worker = group("workers", 1, LifeCycleConfig={"SourceS3Uri": "s3://sagemaker-x", "OnCreate": "on_create.sh"})

    def define(arn: str) -> None:
        definition = document("pods", network, worker, Orchestrator={"Eks": {"ClusterArn": arn}})
        controller.define(pods={"hyperpod_cluster_definition": definition})

    define(eks(aws, "unfit", network, "CONFIG_MAP"))
    refused = controller.run()
    assert refused.rc == 2 and refused.changes == []
    assert "authentication mode. Result of the check: CONFIG_MAP. Required: API or API_AND_CONFIG_MAP." in refused.output

    define(eks(aws, "fit", network, "API"))
    made = controller.run()
    assert made.rc == 0 and made.changes == ["CreateCluster"], made.output
    assert "VPC CNI. Result of the check: not an EKS add-on" in made.output
    assert "HyperPod's Helm chart. Result of the check: not checked: " in made.output


def test_a_playbook_for_slurm_reports_that_it_skipped_an_eks_cluster(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    network = controller.network()
    arn = eks(aws, "separate", network, "API")
    pods = document("k8s", network, group("workers", 1), Orchestrator={"Eks": {"ClusterArn": arn}})
    for each in (document("slurm", network, CONTROLLER), pods):
        aws.client("sagemaker").create_cluster(**each)
    (tmp_path / "hyperpod.yml").write_text(
        "plugin: mlfleet.hyperpod.hyperpod\nregions: [us-west-2]\nclusters: [{name: slurm}, {name: k8s}]\n"
    )
    run = controller.run(playbook="mlfleet.hyperpod.status", inventory=tmp_path / "hyperpod.yml")
    rows = [" ".join(line.split()) for line in run.output.partition("HYPERPOD REPORT")[2].split("\n")]
    place = rows.index("k8s skipped")
    assert rows[place + 1] == "- note: This playbook is for Slurm clusters, so this cluster was skipped." and rows[place + 2][:1] != "-"


QUOTAS = {"ml.m5.large for cluster usage": 20}
MANY = dict.fromkeys(
    (
        *QUOTAS,
        "Total number of instances allowed across SageMaker HyperPod clusters",
        "Maximum number instances allowed per SageMaker HyperPod cluster",
    ),
    1000,
)


@pytest.fixture
def large(aws: Simulated) -> t.Iterator[str]:
    """Name of a cluster with sufficient quotas; the cluster is removed after the test."""
    aws.control("settings", {"service_quotas": MANY})
    yield "large"
    aws.control("settings", {"service_quotas": QUOTAS})
    arn = aws.client("sagemaker").describe_cluster(ClusterName="large")["ClusterArn"]
    gone = aws.start("cluster", name="large", state="absent", cluster_arn=arn, poll_interval=1)
    assert not gone.get("failed"), gone["msg"]


@pytest.mark.slow
def test_only_the_changed_one_of_a_hundred_groups_is_sent(tmp_path: Path, aws: Simulated, large: str) -> None:
    controller = Definitions(tmp_path, aws)
    network, file = controller.network(), tmp_path / "large.json"
    workers = [{**WORKERS, "InstanceGroupName": f"workers-{number}"} for number in range(98)]
    defined(controller, file, large, network, CONTROLLER, LOGIN, *workers)
    made = controller.run()
    assert made.rc == 0 and made.changes == ["CreateCluster"], made.output

    workers[40] = {**workers[40], "InstanceCount": 2}
    defined(controller, file, large, network, CONTROLLER, LOGIN, *workers)
    changed = controller.run()
    assert changed.rc == 0, changed.output
    (sent,) = [call["arguments"] for call in aws.control("calls") if call["operation"] == "UpdateCluster"]
    assert [(each["InstanceGroupName"], each["InstanceCount"]) for each in sent["InstanceGroups"]] == [("workers-40", 2)]

    again = controller.run()
    assert again.rc == 0 and again.changes == [] and "changed=0" in again.output, again.output
