# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HyperPod clusters and nodes by boto3 against the simulator, without hosts."""

from __future__ import annotations

import re
import time
import typing as t

import pytest
from botocore.exceptions import ClientError


def code(call: t.Callable[..., t.Any], **arguments: t.Any) -> str:
    """The error code of a call that must fail."""
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]["Code"]


def keep_until_described(account: t.Any, operation: str) -> None:
    """Keep the transitional state of the next such call until it was described once."""
    account.control.faults({"operation": operation, "kind": "polls", "polls": 1, "times": 1})


def statuses(account: t.Any, name: str, until: str) -> list[str]:
    """The statuses that DescribeCluster returns up to ``until``."""
    seen: list[str] = []
    deadline = time.monotonic() + 60
    while not seen or seen[-1] != until:
        assert time.monotonic() < deadline, seen
        status = account.sagemaker.describe_cluster(ClusterName=name)["ClusterStatus"]
        if not seen or seen[-1] != status:
            seen.append(status)
        time.sleep(0.01)
    return seen


@pytest.fixture(scope="module")
def ml(account: t.Any) -> str:
    """ARN of a cluster that no test changes."""
    return account.cluster("ml", Tags=[{"Key": "team", "Value": "research"}])


def test_ids_match_the_model(account, ml):
    assert re.fullmatch(r"arn:aws:sagemaker:us-west-2:111111111111:cluster/[a-z0-9]{12}", ml)
    for node in account.sagemaker.list_cluster_nodes(ClusterName=ml)["ClusterNodeSummaries"]:
        assert re.fullmatch(r"i-[0-9a-f]{17}", node["InstanceId"])
        assert "PrivatePrimaryIp" not in node


def test_a_description_has_the_requested_settings(account, ml):
    found = account.sagemaker.describe_cluster(ClusterName="ml")
    assert found == {
        **account.sagemaker.describe_cluster(ClusterName=ml),
        "ResponseMetadata": found["ResponseMetadata"],
    }
    login = next(group for group in found["InstanceGroups"] if group["InstanceGroupName"] == "login-group")
    assert (login["SlurmConfig"]["NodeType"], login["CurrentCount"], login["TargetCount"]) == ("Login", 3, 3)
    assert (found["NodeProvisioningMode"], login["Status"]) == ("Continuous", "InService")


def test_nodes_have_addresses_over_the_subnets(account, ml):
    rows = account.control.nodes("ml", "login-group")
    assert [row["ip"] for row in rows] == ["10.1.1.12", "10.1.1.13", "10.1.2.11"]
    details = [
        account.sagemaker.describe_cluster_node(ClusterName="ml", NodeId=row["instance_id"])["NodeDetails"]
        for row in rows
    ]
    assert [node["PrivatePrimaryIp"] for node in details] == [row["ip"] for row in rows]
    assert [node["Placement"]["AvailabilityZone"] for node in details] == ["us-west-2a", "us-west-2a", "us-west-2b"]


def test_interfaces_of_nodes_are_visible(account, ml):
    found = account.ec2.describe_network_interfaces(
        Filters=[{"Name": "addresses.private-ip-address", "Values": ["10.1.1.12"]}]
    )["NetworkInterfaces"]
    assert [(one["Status"], "login-group" in one["Description"], len(one["Groups"])) for one in found] == [
        ("in-use", True, 1)
    ]


@pytest.mark.parametrize("part, groups", [("login", 3), ("machine", 1), ("group", 3), ("nothing", 0)])
def test_group_filter_is_a_substring(account, ml, part, groups):
    found = account.sagemaker.list_cluster_nodes(ClusterName="ml", InstanceGroupNameContains=part)
    assert len(found["ClusterNodeSummaries"]) == groups


@pytest.mark.parametrize("size, pages", [(1, [1, 1, 1, 1]), (3, [3, 1]), (4, [4]), (100, [4])])
def test_node_pages(account, ml, size, pages):
    paginator = account.sagemaker.get_paginator("list_cluster_nodes")
    found = [
        page["ClusterNodeSummaries"]
        for page in paginator.paginate(ClusterName="ml", PaginationConfig={"PageSize": size})
    ]
    assert [len(page) for page in found] == pages
    assert len({node["InstanceId"] for page in found for node in page}) == 4


@pytest.mark.parametrize(
    "operation, arguments, expected",
    [
        ("describe_cluster", {"ClusterName": "none"}, "ResourceNotFound"),
        ("list_cluster_nodes", {"ClusterName": "none"}, "ResourceNotFound"),
        ("delete_cluster", {"ClusterName": "none"}, "ResourceNotFound"),
        ("update_cluster", {"ClusterName": "none", "NodeRecovery": "None"}, "ResourceNotFound"),
        (
            "batch_replace_cluster_nodes",
            {"ClusterName": "none", "NodeIds": ["i-0123456789abcdef0"]},
            "ResourceNotFound",
        ),
        ("describe_cluster_node", {"ClusterName": "ml", "NodeId": "i-0123456789abcdef0"}, "ResourceNotFound"),
        ("describe_cluster_node", {"ClusterName": "ml", "NodeId": "login-group-0"}, "ValidationException"),
        ("list_cluster_nodes", {"ClusterName": "ml", "MaxResults": 101}, "ValidationException"),
        ("list_cluster_nodes", {"ClusterName": "ml", "NextToken": "nonsense"}, "ValidationException"),
        ("update_cluster", {"ClusterName": "ml", "InstanceGroupsToDelete": ["none"]}, "ValidationException"),
    ],
)
def test_errors(account, ml, operation, arguments, expected):
    assert code(getattr(account.sagemaker, operation), **arguments) == expected


@pytest.mark.parametrize(
    "name, change, expected",
    [
        ("ml", {}, "ResourceInUse"),
        ("new", {"InstanceCount": 2000}, "ResourceLimitExceeded"),
        ("new", {"InstanceType": "ml.nope"}, "ValidationException"),
        ("new", {"ExecutionRole": "arn:aws:iam::1:role/short"}, "ValidationException"),
        ("new", {"OverrideVpcConfig": {"SecurityGroupIds": ["sg-1"], "Subnets": ["subnet-1"]}}, "ValidationException"),
    ],
)
def test_refused_creations(account, ml, name, change, expected):
    group = {**account.group("login-group", 1, "Login"), **change}
    assert code(account.sagemaker.create_cluster, ClusterName=name, InstanceGroups=[group]) == expected


def test_tags(account, ml):
    account.sagemaker.add_tags(ResourceArn=ml, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    account.sagemaker.delete_tags(ResourceArn=ml, TagKeys=["a"])
    tags = account.sagemaker.list_tags(ResourceArn=ml)["Tags"]
    assert {tag["Key"]: tag["Value"] for tag in tags} == {"team": "research", "b": "2"}


def test_replacement_has_a_new_id_on_the_same_address(account):
    account.cluster("replaced")
    before = account.control.nodes("replaced", "login-group")
    new = account.control.replace(before[0]["instance_id"], seconds=60)
    after = account.control.nodes("replaced", "login-group")
    assert [row["ip"] for row in after] == [row["ip"] for row in before]
    assert [row["eni"] for row in after] == [row["eni"] for row in before]
    assert {row["instance_id"] for row in after} - {row["instance_id"] for row in before} == {new}
    assert after[0]["launch_time"] > before[0]["launch_time"]


def test_replacement_on_a_new_address(account):
    account.cluster("moved")
    account.control.settings(replace_ip="new")
    before = account.control.nodes("moved", "login-group")
    new = account.control.replace(before[0]["instance_id"], seconds=60)
    now = next(row for row in account.control.nodes("moved") if row["instance_id"] == new)
    assert now["ip"] not in {row["ip"] for row in before}
    interfaces = account.ec2.describe_network_interfaces(NetworkInterfaceIds=[now["eni"]])["NetworkInterfaces"]
    assert interfaces[0]["PrivateIpAddress"] == now["ip"]


def test_software_update_keeps_id_and_address(account):
    account.cluster("updated")
    before = account.control.nodes("updated")
    keep_until_described(account, "UpdateClusterSoftware")
    account.sagemaker.update_cluster_software(
        ClusterName="updated", InstanceGroups=[{"InstanceGroupName": "login-group"}]
    )
    assert statuses(account, "updated", "InService") == ["SystemUpdating", "InService"]
    after = account.control.nodes("updated")
    same = ("instance_id", "ip", "launch_time")
    assert [[row[key] for key in same] for row in after] == [[row[key] for key in same] for row in before]
    assert {row["group"]: bool(row["last_software_update_time"]) for row in after} == {
        "controller-machine": False,
        "login-group": True,
    }


def update_software(account, name, *steps):
    """Update the login group, whose nodes pass through the statuses ``steps``."""
    with account.held():
        account.sagemaker.update_cluster_software(ClusterName=name, InstanceGroups=[{"InstanceGroupName": "login-group"}])
        for status in steps:
            until(lambda status=status: {row["status"] for row in account.control.nodes(name, "login-group")} == {status})
            account.step()
    until(lambda: account.sagemaker.describe_cluster(ClusterName=name)["ClusterStatus"] == "InService")


def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_rolled_back_software_update_fails_and_returns_no_time(account):
    account.cluster("rolled-back")
    before = account.control.nodes("rolled-back")
    account.control.settings(software_update="rolls_back")
    update_software(account, "rolled-back", "SystemUpdating", "Failure")
    assert account.control.nodes("rolled-back") == before
    groups = account.sagemaker.describe_cluster(ClusterName="rolled-back")["InstanceGroups"]
    found = {group["InstanceGroupName"]: group.get("SoftwareUpdateStatus") for group in groups}
    assert found == {"controller-machine": None, "login-group": "Failed"}


def test_a_retried_software_update_succeeds(account):
    """HyperPod makes about four attempts; the group stays InProgress in the meantime."""
    account.cluster("retried")
    account.control.settings(software_update_retries=2)
    update_software(account, "retried", *["SystemUpdating", "Failure"] * 2, "SystemUpdating")
    after = account.control.nodes("retried", "login-group")
    assert {(row["status"], bool(row["last_software_update_time"])) for row in after} == {("Running", True)}
    groups = account.sagemaker.describe_cluster(ClusterName="retried")["InstanceGroups"]
    assert {group["InstanceGroupName"]: group.get("SoftwareUpdateStatus") for group in groups}["login-group"] == "Succeeded"


def test_a_software_update_may_change_the_time_of_other_nodes(account):
    account.cluster("stamped")
    account.control.settings(update_time="of_cluster")
    update_software(account, "stamped")
    assert all(row["last_software_update_time"] for row in account.control.nodes("stamped"))


def test_scaling(account):
    account.cluster("scaled")
    for count, addresses in ((5, 5), (2, 2)):
        keep_until_described(account, "UpdateCluster")
        account.sagemaker.update_cluster(
            ClusterName="scaled", InstanceGroups=[account.group("login-group", count, "Login")]
        )
        assert code(account.sagemaker.update_cluster, ClusterName="scaled", NodeRecovery="None") == "ConflictException"
        statuses(account, "scaled", "InService")
        account.control.wait_running("scaled", 60)
        assert len({row["ip"] for row in account.control.nodes("scaled", "login-group")}) == addresses


def test_batch_failures_are_in_the_reply(account, ml):
    controller = account.control.nodes("ml", "controller-machine")[0]["instance_id"]
    answer = account.sagemaker.batch_replace_cluster_nodes(
        ClusterName="ml", NodeIds=[controller, "i-0123456789abcdef0"]
    )
    assert "Successful" not in answer
    assert [entry["ErrorCode"] for entry in answer["Failed"]] == ["InvalidInstanceStatus", "InstanceIdNotFound"]


def test_reboot_and_batch_delete(account):
    account.cluster("batch")
    login = account.control.nodes("batch", "login-group")
    assert account.control.reboot(login[0]["instance_id"], seconds=60) == login[0]["instance_id"]
    removed = login[1]["instance_id"]
    answer = account.sagemaker.batch_delete_cluster_nodes(ClusterName="batch", NodeIds=[removed, "i-0123456789abcdef0"])
    assert (answer["Successful"], answer["Failed"][0]["Code"]) == ([removed], "NodeIdNotFound")
    deadline = time.monotonic() + 60
    while len(account.control.nodes("batch", "login-group")) != 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_deletion_releases_all_resources(account):
    config = account.network()
    account.cluster("deleted", account.group("login-group", 2, "Login"), VpcConfig=config)
    with account.held():
        account.sagemaker.delete_cluster(ClusterName="deleted")
        assert account.sagemaker.describe_cluster(ClusterName="deleted")["ClusterStatus"] == "Deleting"
    deadline = time.monotonic() + 60
    while "deleted" in {entry["ClusterName"] for entry in account.sagemaker.list_clusters()["ClusterSummaries"]}:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert code(account.sagemaker.describe_cluster, ClusterName="deleted") == "ResourceNotFound"
    filters = [{"Name": "subnet-id", "Values": config["Subnets"]}]
    assert account.ec2.describe_network_interfaces(Filters=filters)["NetworkInterfaces"] == []


def test_250_nodes_as_records(account):
    big = account.group("worker-group-1", 250, "Compute", InstanceType="ml.p5.48xlarge")
    account.cluster("big", big, Tags=[{"Key": "lab/hosts", "Value": "none"}])
    pages = list(
        account.sagemaker.get_paginator("list_cluster_nodes").paginate(
            ClusterName="big", PaginationConfig={"PageSize": 100}
        )
    )
    assert [len(page["ClusterNodeSummaries"]) for page in pages] == [100, 100, 50]
    assert len({row["ip"] for row in account.control.nodes("big")}) == 250


def test_address_of_a_pending_node_can_be_hidden(account):
    account.control.settings(pending_ip="hidden")
    with account.held():
        account.sagemaker.create_cluster(
            ClusterName="pending", InstanceGroups=[account.group("login-group", 1, "Login")], VpcConfig=account.network()
        )
        node = account.sagemaker.list_cluster_nodes(ClusterName="pending")["ClusterNodeSummaries"][0]
        query = {"ClusterName": "pending", "NodeId": node["InstanceId"]}
        assert node["InstanceStatus"]["Status"] == "Pending"
        assert "PrivatePrimaryIp" not in account.sagemaker.describe_cluster_node(**query)["NodeDetails"]
    account.control.wait_running("pending", 60)
    assert "PrivatePrimaryIp" in account.sagemaker.describe_cluster_node(**query)["NodeDetails"]


def test_all_replies_match_the_model(account):
    assert account.control.problems() == []
