# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod import model

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
UTC = datetime.timezone.utc


def group(name="g", **fields):
    return {"InstanceGroupName": name, **fields}


def cluster(*groups, node_types=None, **fields):
    return model.Cluster.from_api({"ClusterArn": ARN, "InstanceGroups": list(groups), **fields}, node_types)


@pytest.mark.parametrize(
    ("arn", "partition", "region"),
    [
        (ARN, "aws", "us-west-2"),
        ("arn:aws-cn:sagemaker:cn-north-1:111111111111:cluster/abc123def456", "aws-cn", "cn-north-1"),
        ("arn:aws-us-gov:sagemaker:us-gov-west-1:111111111111:cluster/abc123def456", "aws-us-gov", "us-gov-west-1"),
    ],
)
def test_an_arn_is_split_into_its_parts(arn, partition, region):
    parsed = ClusterArn.parse(arn)
    assert (parsed.partition, parsed.region, parsed.account, parsed.id) == (
        partition,
        region,
        "111111111111",
        "abc123def456",
    )


@pytest.mark.parametrize(
    "arn", ["", "ml", ARN + "0", ARN[:-1], ARN.replace("cluster", "endpoint"), ARN.replace("1111", "x"), ARN + "\n"]
)
def test_the_refusal_of_an_invalid_arn_names_option_and_value(arn):
    with pytest.raises(Refused, match="cluster_arn: .* is not allowed"):
        ClusterArn.parse(arn)


@pytest.mark.parametrize(
    ("answer", "node_types", "expected"),
    [
        (group(SlurmConfig={"NodeType": "Login"}), {}, "login"),
        (group(SlurmConfig={"NodeType": "Controller"}), {"g": "login"}, "controller"),
        (group(SlurmConfig={}), {"g": "login"}, "login"),
        (group(), {"g": "compute"}, "compute"),
        (group("login-group"), {}, None),
    ],
)
def test_the_node_type_is_declared_and_never_guessed(answer, node_types, expected):
    assert model.Group.from_api(answer, node_types).node_type == expected


def test_node_types_option_is_checked():
    assert model.check_node_types({"a": "login"}) == {"a": "login"}
    with pytest.raises(Refused, match="node_types.a: 'Login' is not allowed. Allowed: controller, login, compute"):
        model.check_node_types({"a": "Login"})


def test_cluster_tolerates_missing_fields():
    bare = model.Cluster.from_api({"ClusterArn": ARN})
    assert (bare.id, bare.region, bare.account, bare.orchestrator) == (
        "abc123def456",
        "us-west-2",
        "111111111111",
        "slurm",
    )
    assert (bare.groups, bare.subnets, bare.security_groups) == ((), (), ())
    assert not bare.in_service


@pytest.mark.parametrize(
    ("orchestrator", "expected"),
    [(None, "slurm"), ({"Slurm": {}}, "slurm"), ({"Eks": {"ClusterArn": "arn"}}, "eks")],
)
def test_the_orchestrator_is_slurm_unless_eks_is_set(orchestrator, expected):
    assert cluster(Orchestrator=orchestrator).orchestrator == expected


@pytest.mark.parametrize(
    ("status", "fields", "expected"),
    [
        ("InService", {"CurrentCount": 3, "TargetCount": 3}, True),
        ("InService", {"CurrentCount": 1, "TargetCount": 3}, False),
        ("InService", {"CurrentCount": 3, "TargetCount": 3, "ActiveOperations": {"Scaling": 1}}, False),
        ("InService", {"CurrentCount": 3}, True),
        ("Updating", {"CurrentCount": 3, "TargetCount": 3}, False),
    ],
)
def test_a_group_in_service_may_not_have_its_target_size(status, fields, expected):
    assert cluster(group(**fields), ClusterStatus=status).at_target_size is expected


def test_one_group_below_its_target_size_is_enough():
    full, short = ({"CurrentCount": count, "TargetCount": 3} for count in (3, 2))
    for groups in ((full, short), (short, full)):
        assert not cluster(*(group(f"g{number}", **each) for number, each in enumerate(groups)), ClusterStatus="InService").at_target_size


def test_group_network_falls_back_to_the_cluster():
    override = {"Subnets": ["subnet-b"], "SecurityGroupIds": ["sg-b"]}
    found = cluster(
        group("own", OverrideVpcConfig=override),
        group("shared"),
        VpcConfig={"Subnets": ["subnet-a"], "SecurityGroupIds": ["sg-a"]},
    )
    own, shared = found.groups
    assert (found.subnets_of(own), found.security_groups_of(own)) == (("subnet-b",), ("sg-b",))
    assert (found.subnets_of(shared), found.security_groups_of(shared)) == (("subnet-a",), ("sg-a",))


def test_fields_that_only_some_groups_have_are_empty_for_others():
    arn = "arn:aws:sagemaker:us-west-2:111111111111:training-plan/research"
    reserved, other = cluster(group("a", TrainingPlanArn=arn), group("b")).to_result()["groups"]
    assert (reserved["training_plan_arn"], other["training_plan_arn"]) == (arn, "")


def test_image_ids_are_returned_printable():
    image = {"CurrentImageId": "ami-1\x1b", "DesiredImageId": "ami-2", "CurrentImageReleaseVersion": "1.0.1"}
    described, empty = cluster(group("a", **image), group("b")).to_result()["groups"]
    assert [(each["image_id"], each["image_release_version"]) for each in (described, empty)] == [("ami-1?", "1.0.1"), ("", "")]
    node = model.Node.from_api({**NODE, **image})
    assert (node.image_id, node.image_release_version) == ("ami-1?", "1.0.1")


def test_restricted_groups_are_groups():
    found = cluster(group("a"), RestrictedInstanceGroups=[group("b")])
    assert [each.name for each in found.groups] == ["a", "b"]


def test_the_refusal_of_an_unknown_group_lists_the_existing_ones():
    with pytest.raises(Refused, match="groups: 'x' is not allowed: cluster ml has no such instance group. Allowed: a, b."):
        model.require_group(cluster(group("b"), group("a"), ClusterName="ml"), "x", option="groups")


NODE: dict[str, t.Any] = {
    "InstanceGroupName": "login_group-1",
    "InstanceId": "i-0123456789abcdef0",
    "InstanceType": "ml.m5.large",
    "LaunchTime": datetime.datetime(2026, 11, 21, 1, 2, 3, 456789, tzinfo=UTC),
    "InstanceStatus": {"Status": "Running"},
}


def test_a_node_is_read_from_its_summary():
    home = cluster(group("login_group-1", SlurmConfig={"NodeType": "Login"}))
    node = model.Node.from_api(NODE, model.node_types_of(home))
    assert node.node_type == "login"
    assert node.triple == ("i-0123456789abcdef0", "2026-11-21T01:02:03.456Z", "")
    assert node.ssm_target(home) == "sagemaker-cluster:abc123def456_login_group-1-i-0123456789abcdef0"
    assert node.host_key_alias(home) == "i-0123456789abcdef0.abc123def456"
    assert (node.ip, node.az, node.message) == (None, None, "")


def test_software_update_changes_the_triple():
    updated = {**NODE, "LastSoftwareUpdateTime": datetime.datetime(2026, 11, 22, tzinfo=UTC)}
    assert model.Node.from_api(NODE).triple != model.Node.from_api(updated).triple


def test_times_are_compared_in_utc():
    east = datetime.timezone(datetime.timedelta(hours=5))
    there = {**NODE, "LaunchTime": NODE["LaunchTime"].astimezone(east)}
    assert model.Node.from_api(NODE).triple == model.Node.from_api(there).triple


def test_results_contain_plain_values():
    home = cluster(group("login_group-1"), VpcConfig={"Subnets": ["subnet-a"], "SecurityGroupIds": ["sg-a"]})
    result = home.to_result()
    assert result["subnets"] == ["subnet-a"]
    assert result["groups"][0]["subnets"] is None
    node = model.Node.from_api(NODE)
    assert node.to_result(home)["triple"] == list(node.triple)


def test_the_status_message_of_a_node_is_printable():
    status = {"Status": "Failure", "Message": "disk\x1b[2J\nfull"}
    summary = {"InstanceGroupName": "g", "InstanceId": "i-0123456789abcdef0"}
    assert model.Node.from_api({**summary, "InstanceStatus": status}).message == "disk?[2J?full"
    assert model.Node.from_api(summary).message == ""


def test_a_flexible_group_has_several_instance_types():
    flexible = group(InstanceRequirements={"CurrentInstanceTypes": ["a"], "DesiredInstanceTypes": ["a", "b"]})
    assert [model.Group.from_api(each, {}).instance_types for each in (group(InstanceType="a"), flexible, group())] == [("a",), ("a", "b"), ()]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"DesiredLabels": {"nvidia.com/mig.config": "all-1g.5gb"}, "CurrentLabels": {"nvidia.com/mig.config": "all-3g.20gb"}}, "all-1g.5gb"),
        ({"CurrentLabels": {"nvidia.com/mig.config": "all-3g.20gb"}}, "all-3g.20gb"),
        ({"DesiredLabels": {}, "CurrentLabels": {"nvidia.com/mig.config": "all-3g.20gb"}}, ""),
        ({"DesiredLabels": {"nvidia.com/mig.config": "a\x07"}}, "a?"),
        ({"DesiredLabels": {"team": "research"}}, ""),
        ({}, ""),
        (None, ""),
    ],
)
def test_the_partition_label_of_a_group_is_read(config, expected):
    (found,) = cluster(group(KubernetesConfig=config)).groups
    assert found.mig_config == expected and found.to_result()["mig_config"] == expected
