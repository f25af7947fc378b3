# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of the requests, and returned resources with another name."""

from __future__ import annotations

import typing as t

import boto3
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws import named_resources
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from botocore.stub import Stubber

SUBNET = "subnet-0123456789abcdef0"
GROUP = "sg-0123456789abcdef0"


def stubbed(service: str, *answers: tuple[str, dict[str, t.Any], dict[str, t.Any]]) -> tuple[Api, Stubber]:
    """:param answers: Operation, request and response of each expected call."""
    client = boto3.client(service, region_name="us-west-2", aws_access_key_id="x", aws_secret_access_key="x")
    stubber = Stubber(client)
    for operation, request, answer in answers:
        stubber.add_response(operation, answer, request)
    stubber.activate()
    return Api(client), stubber


def by(name: str, *values: str) -> dict[str, t.Any]:
    return {"Filters": [{"Name": name, "Values": list(values)}]}


def test_an_id_has_eight_or_seventeen_digits_and_anything_else_is_a_name() -> None:
    for one in (SUBNET, "subnet-01234567"):
        assert named_resources.SUBNET.fullmatch(one)
    for other in ("subnet-a", "subnet-012345678", f"{SUBNET}\n", "sg-01234567"):
        assert not named_resources.SUBNET.fullmatch(other)


def test_a_call_has_at_most_two_hundred_names() -> None:
    names = [f"name {number:03}" for number in range(201)]
    none: dict[str, t.Any] = {"Subnets": []}
    calls = [("describe_subnets", by("tag:Name", *part), none) for part in (names[:200], names[200:])]
    ec2, stubber = stubbed("ec2", *calls)
    assert named_resources.subnets(ec2, names) == []
    stubber.assert_no_pending_responses()


def test_a_group_found_twice_is_one_and_one_found_by_a_wildcard_is_none() -> None:
    found = {"GroupId": GROUP, "GroupName": "nodes*", "VpcId": "vpc-1", "Tags": [{"Key": "Name", "Value": "nodes*"}]}
    wild = {"GroupId": "sg-01234567", "GroupName": "nodes-2", "VpcId": "vpc-1"}
    answer = {"SecurityGroups": [wild, found]}
    ec2, stubber = stubbed(
        "ec2",
        ("describe_security_groups", by("group-name", "nodes*"), answer),
        ("describe_security_groups", by("tag:Name", "nodes*"), answer),
    )
    assert named_resources.security_groups(ec2, ["nodes*"]) == [
        {"id": GROUP, "name": "nodes*", "group_name": "nodes*", "vpc_id": "vpc-1"}
    ]
    stubber.assert_no_pending_responses()


def test_a_file_system_that_is_being_deleted_does_not_count() -> None:
    tags = [{"Key": "team", "Value": "a"}, {"Key": "Name", "Value": "shared"}]
    about = {"FileSystemType": "LUSTRE", "Tags": tags, "DNSName": "fs-00000002.fsx.us-west-2.amazonaws.com"}
    deleting = {**about, "FileSystemId": "fs-00000001", "Lifecycle": "DELETING"}
    available = {**about, "FileSystemId": "fs-00000002", "Lifecycle": "AVAILABLE", "LustreConfiguration": {"MountName": "fsx"}}
    fsx, _stubber = stubbed("fsx", ("describe_file_systems", {}, {"FileSystems": [deleting, available]}))
    (one,) = named_resources.file_systems(fsx, ["shared"])
    assert (one["id"], one["mount_name"], one["type"]) == ("fs-00000002", "fsx", "LUSTRE")
