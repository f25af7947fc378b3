# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls checked against policies: which statements allow them, and the error of a denied call."""

from __future__ import annotations

import typing as t

import pytest
from botocore.exceptions import ClientError
from lab.aws.permissions.asked import Permission
from lab.aws.permissions.policy import allows

EC2 = "arn:aws:ec2:us-west-2:111111111111"
SSM = "arn:aws:ssm:us-west-2:111111111111"


def statement(action: t.Any = "ssm:PutParameter", resource: t.Any = "arn:*:parameter/a/*", **condition: t.Any) -> dict[str, t.Any]:
    made = {"Effect": "Allow", "Action": action, "Resource": resource}
    return {**made, "Condition": condition} if condition else made


KEY = "aws:ResourceTag/team"


@pytest.mark.parametrize(
    ("made", "context", "allowed"),
    [
        (statement(), {}, True),
        (statement(["ssm:Get*", "SSM:put*"]), {}, True),
        (statement("ssm:GetParameter"), {}, False),
        (statement(resource=["arn:*:parameter/b/*", "arn:*:parameter/a/x"]), {}, True),
        (statement(resource="arn:*:parameter/b/*"), {}, False),
        (statement(StringEquals={KEY: ["a", "b"]}), {KEY: "b"}, True),
        (statement(StringEquals={KEY: "a"}), {KEY: "b"}, False),
        (statement(StringEquals={KEY: "a"}), {}, False),
        (statement(StringLike={KEY: "a*"}), {KEY: "abc"}, True),
        (statement(StringLike={KEY: "a*"}, Bool={"x": "true"}), {KEY: "abc", "x": "True"}, True),
        (statement(StringLike={KEY: "a*"}, Bool={"x": "true"}), {KEY: "abc", "x": "false"}, False),
        (statement(BoolIfExists={"x": "true"}), {}, True),
        (statement(BoolIfExists={"x": "true"}), {"x": "false"}, False),
        (statement(ArnLike={KEY: "arn:aws:iam::1:role/a-*"}), {KEY: "arn:aws:iam::1:role/a-b"}, True),
        (statement(**{"ForAllValues:StringLike": {KEY: ["a*", "b"]}}), {KEY: ["ax", "b"]}, True),
        (statement(**{"ForAllValues:StringLike": {KEY: "a*"}}), {KEY: ["ax", "b"]}, False),
        (statement(**{"ForAllValues:StringLike": {KEY: "a*"}}), {}, True),
        (statement(**{"ForAnyValue:StringEquals": {KEY: "a"}}), {KEY: ["b", "a"]}, True),
        (statement(**{"ForAnyValue:StringEquals": {KEY: "a"}}), {KEY: ["b"]}, False),
        (statement(**{"ForAnyValue:StringEquals": {KEY: "a"}}), {}, False),
        (statement(Null={KEY: "false"}), {KEY: "a"}, True),
        (statement(Null={KEY: "false"}), {}, False),
        (statement(Null={KEY: "true"}), {}, True),
    ],
)
def test_allowed_by_a_statement(made: dict[str, t.Any], context: dict[str, str | list[str]], allowed: bool) -> None:
    assert allows([made], Permission("ssm:PutParameter", "arn:aws:ssm:r:1:parameter/a/x", context)) is allowed


@pytest.fixture
def held(account: t.Any) -> t.Iterator[t.Callable[..., None]]:
    yield lambda *statements: account.control.settings(policies=[{"Statement": list(statements)}])
    account.control.settings(policies=[])


def test_a_denied_call_gets_the_message_of_aws(account: t.Any, held: t.Callable[..., None]) -> None:
    ssm = account.client("ssm")
    held(statement(resource="arn:aws:ssm:*:111111111111:parameter/a/*"))
    ssm.put_parameter(Name="/a/x", Value="1", Type="String")
    with pytest.raises(ClientError) as refused:
        ssm.put_parameter(Name="/b/x", Value="1", Type="String")
    assert refused.value.response["Error"]["Code"] == "AccessDeniedException"
    assert refused.value.response["Error"]["Message"] == (
        "User: arn:aws:sts::111111111111:assumed-role/lab/lab is not authorized to perform: ssm:PutParameter on resource: "
        f"{SSM}:parameter/b/x because no identity-based policy allows the ssm:PutParameter action"
    )


def test_tags_of_existing_and_new_resources_decide(account: t.Any, held: t.Callable[..., None]) -> None:
    vpc = account.ec2.create_vpc(CidrBlock="10.7.0.0/16")["Vpc"]["VpcId"]
    of_resource, of_action = {"aws:ResourceTag/team": "a"}, {"ec2:CreateAction": "CreateSecurityGroup"}
    group, everything = f"{EC2}:security-group/*", f"{EC2}:*"
    held(
        statement("ec2:CreateSecurityGroup", everything),
        statement("ec2:CreateTags", group, StringEquals=of_action),
        statement("ec2:DeleteSecurityGroup", group, StringEquals=of_resource),
    )
    made = []
    for team in ("a", "b"):
        tags = [{"ResourceType": "security-group", "Tags": [{"Key": "team", "Value": team}]}]
        made.append(account.ec2.create_security_group(GroupName=team, Description=team, VpcId=vpc, TagSpecifications=tags)["GroupId"])
    account.ec2.delete_security_group(GroupId=made[0])
    for call, arguments in (
        (account.ec2.delete_security_group, {"GroupId": made[1]}),
        (account.ec2.create_tags, {"Resources": [made[1]], "Tags": [{"Key": "team", "Value": "a"}]}),
    ):
        with pytest.raises(ClientError) as refused:
            call(**arguments)
        assert refused.value.response["Error"]["Code"] == "UnauthorizedOperation"


def test_inner_calls_of_elastic_load_balancing_must_be_allowed(account: t.Any, held: t.Callable[..., None]) -> None:
    vpc = account.ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    held(statement("elasticloadbalancing:*", "*"), statement("ec2:DescribeVpcs", "*"))
    with pytest.raises(ClientError, match="not authorized to perform: ec2:DescribeInternetGateways"):
        account.client("elbv2").create_target_group(Name="a", Protocol="TCP", Port=22, VpcId=vpc, TargetType="ip")


def test_requests_without_an_operation_are_checked(account: t.Any, held: t.Callable[..., None]) -> None:
    held(statement("s3:ListBucket", "arn:aws:s3:::other"))
    with pytest.raises(ClientError, match="not authorized to perform: s3:ListBucket on resource: arn:aws:s3:::scripts"):
        account.client("s3").list_objects_v2(Bucket="scripts")


def test_an_administrator_is_not_checked(account: t.Any, held: t.Callable[..., None]) -> None:
    held(statement("ssm:GetParameter", "*"))
    account.client("sts").get_caller_identity()
    with pytest.raises(ClientError):
        account.sagemaker.list_clusters()
    type(account)(account.url, "ADMIN111111111111").sagemaker.list_clusters()
