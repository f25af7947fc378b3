# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls held against policies: what each asks for, what allows it, and what a caller sees who may not."""

from __future__ import annotations

import typing as t

import pytest
from botocore.exceptions import ClientError
from lab.aws.permissions.asked import Ask, asks
from lab.aws.permissions.policy import allows
from lab.aws.request import Call

PROTOCOLS = {"ec2": "ec2", "elbv2": "query", "iam": "query"}
CLUSTER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
EC2 = "arn:aws:ec2:us-west-2:111111111111"
EKS = "arn:aws:eks:us-west-2:111111111111"
SSM = "arn:aws:ssm:us-west-2:111111111111"
ELB = "arn:aws:elasticloadbalancing:us-west-2:111111111111"
OURS = [{"Key": "mlfleet.hyperpod/component", "Value": "client_vpn"}]


def asked(service: str, operation: str, **params: t.Any) -> list[tuple[str, str]]:
    call = Call("111111111111", "us-west-2", service, operation, PROTOCOLS.get(service, "json"), params=params)
    return [(ask.action, ask.resource) for ask in asks(call)]


@pytest.mark.parametrize(
    ("service", "operation", "params", "expected"),
    [
        ("sagemaker", "ListClusters", {}, [("sagemaker:ListClusters", "*")]),
        ("sagemaker", "DescribeCluster", {"ClusterName": CLUSTER}, [("sagemaker:DescribeCluster", CLUSTER)]),
        (
            "sagemaker",
            "CreateCluster",
            {
                "ClusterName": "ml",
                "Tags": [{"Key": "a", "Value": "b"}],
                "InstanceGroups": [{"ExecutionRole": "arn:role/a"}, {"ExecutionRole": "arn:role/a"}],
                "ClusterRole": "arn:role/k",
            },
            [
                ("sagemaker:CreateCluster", "arn:aws:sagemaker:us-west-2:111111111111:cluster/ml"),
                ("sagemaker:AddTags", "arn:aws:sagemaker:us-west-2:111111111111:cluster/ml"),
                ("iam:CreateServiceLinkedRole", "arn:aws:iam::111111111111:role/aws-service-role/hyperpod.sagemaker.amazonaws.com/AWSServiceRole"),
                ("iam:PassRole", "arn:role/a"),
                ("iam:PassRole", "arn:role/k"),
            ],
        ),
        (
            "sagemaker",
            "UpdateCluster",
            {"ClusterName": CLUSTER, "Orchestrator": {"Eks": {"ClusterArn": f"{EKS}:cluster/pods"}}},
            [
                ("sagemaker:UpdateCluster", CLUSTER),
                ("eks:DescribeCluster", f"{EKS}:cluster/pods"),
                ("eks:CreateAccessEntry", f"{EKS}:cluster/pods"),
                ("eks:DescribeAccessEntry", f"{EKS}:access-entry/pods/role/hyperpod"),
                ("eks:DeleteAccessEntry", f"{EKS}:access-entry/pods/role/hyperpod"),
                ("eks:AssociateAccessPolicy", f"{EKS}:access-entry/pods/role/hyperpod"),
            ],
        ),
        (
            "ssm",
            "StartSession",
            {"Target": "sagemaker-cluster:abc123def456_login-i-1"},
            [("ssm:StartSession", CLUSTER), ("ssm:StartSession", f"{SSM}:document/SSM-SessionManagerRunShell")],
        ),
        (
            "ssm",
            "StartSession",
            {"Target": "sagemaker-cluster:abc123def456_login-i-1", "DocumentName": "AWS-StartSSHSession"},
            [("ssm:StartSession", CLUSTER), ("ssm:StartSession", "arn:aws:ssm:us-west-2::document/AWS-StartSSHSession")],
        ),
        ("ssm", "TerminateSession", {"SessionId": "s-1"}, [("ssm:TerminateSession", f"{SSM}:session/s-1")]),
        ("ssm", "DeleteParameters", {"Names": ["/a", "/b"]}, [("ssm:DeleteParameters", f"{SSM}:parameter{name}") for name in ("/a", "/b")]),
        (
            "ssm",
            "PutParameter",
            {"Name": "/a", "Tags": [{"Key": "a", "Value": "b"}]},
            [("ssm:PutParameter", f"{SSM}:parameter/a"), ("ssm:AddTagsToResource", f"{SSM}:parameter/a")],
        ),
        (
            "elbv2",
            "CreateTargetGroup",
            {"Name": "hp-ml", "Tags": [{"Key": "a", "Value": "b"}]},
            [
                ("elasticloadbalancing:CreateTargetGroup", f"{ELB}:targetgroup/hp-ml/0123456789abcdef"),
                ("elasticloadbalancing:AddTags", f"{ELB}:targetgroup/hp-ml/0123456789abcdef"),
                ("ec2:DescribeInternetGateways", "*"),
                ("ec2:DescribeVpcs", "*"),
            ],
        ),
        ("elbv2", "DescribeTargetGroups", {"Names": ["a"]}, [("elasticloadbalancing:DescribeTargetGroups", "*")]),
        ("ec2", "DescribeSubnets", {"SubnetIds": ["subnet-1"]}, [("ec2:DescribeSubnets", "*")]),
        (
            "ec2",
            "CreateClientVpnEndpoint",
            {
                "VpcId": "vpc-1",
                "SecurityGroupIds": ["sg-1"],
                "TagSpecifications": [{"ResourceType": "client-vpn-endpoint", "Tags": OURS}],
            },
            [
                ("ec2:CreateClientVpnEndpoint", f"{EC2}:vpc/vpc-1"),
                ("ec2:CreateClientVpnEndpoint", f"{EC2}:security-group/sg-1"),
                ("ec2:CreateClientVpnEndpoint", f"{EC2}:client-vpn-endpoint/new"),
                ("ec2:CreateTags", f"{EC2}:client-vpn-endpoint/new"),
            ],
        ),
        (
            "ec2",
            "DisassociateClientVpnTargetNetwork",
            {"ClientVpnEndpointId": "cvpn-endpoint-1", "SubnetId": "subnet-1"},
            [("ec2:DisassociateClientVpnTargetNetwork", f"{EC2}:client-vpn-endpoint/cvpn-endpoint-1")],
        ),
        ("acm", "ListCertificates", {}, [("acm:ListCertificates", "*")]),
        (
            "logs",
            "PutRetentionPolicy",
            {"logGroupName": "/a"},
            [("logs:PutRetentionPolicy", "arn:aws:logs:us-west-2:111111111111:log-group:/a")],
        ),
        ("service-quotas", "ListServiceQuotas", {}, [("servicequotas:ListServiceQuotas", "*")]),
        (
            "service-quotas",
            "RequestServiceQuotaIncrease",
            {"ServiceCode": "sagemaker", "QuotaCode": "L-1"},
            [("servicequotas:RequestServiceQuotaIncrease", "arn:aws:servicequotas:us-west-2:111111111111:sagemaker/L-1")],
        ),
        ("iam", "GetRole", {"RoleName": "a"}, [("iam:GetRole", "arn:aws:iam::111111111111:role/a")]),
        ("iam", "ListAccountAliases", {}, [("iam:ListAccountAliases", "*")]),
    ],
)
def test_what_a_call_asks_for(service: str, operation: str, params: dict[str, t.Any], expected: list[tuple[str, str]]) -> None:
    assert asked(service, operation, **params) == expected


@pytest.mark.parametrize(
    ("service", "operation", "query", "expected"),
    [
        ("eks", "GET /clusters/pods", "", ("eks:DescribeCluster", f"{EKS}:cluster/pods")),
        ("eks", "GET /clusters/pods/addons/vpc-cni", "", ("eks:DescribeAddon", f"{EKS}:addon/pods/vpc-cni/1")),
        ("eks", "DELETE /clusters/pods", "", ("eks:DELETE /clusters/pods", "*")),
        ("s3", "HEAD /scripts", "", ("s3:ListBucket", "arn:aws:s3:::scripts")),
        ("s3", "GET /scripts/", "list-type", ("s3:ListBucket", "arn:aws:s3:::scripts")),
        ("s3", "GET /scripts", "ownershipControls", ("s3:GetBucketOwnershipControls", "arn:aws:s3:::scripts")),
        ("s3", "GET /scripts", "policy", ("s3:GET /scripts policy", "*")),
        ("s3", "HEAD /scripts/a/b.sh", "", ("s3:GetObject", "arn:aws:s3:::scripts/a/b.sh")),
        ("s3", "GET /scripts/a/b.sh", "tagging", ("s3:GetObjectTagging", "arn:aws:s3:::scripts/a/b.sh")),
        ("s3", "PUT /scripts/a/b.sh", "", ("s3:PutObject", "arn:aws:s3:::scripts/a/b.sh")),
    ],
)
def test_what_a_request_of_method_and_path_asks_for(service: str, operation: str, query: str, expected: tuple[str, str]) -> None:
    call = Call("111111111111", "us-west-2", service, operation, "rest-json", query=[query])
    assert [(ask.action, ask.resource) for ask in asks(call)] == [expected]


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
    ],
)
def test_what_a_statement_allows(made: dict[str, t.Any], context: dict[str, str], allowed: bool) -> None:
    assert allows([made], Ask("ssm:PutParameter", "arn:aws:ssm:r:1:parameter/a/x", context)) is allowed


@pytest.fixture
def held(account: t.Any) -> t.Iterator[t.Callable[..., None]]:
    yield lambda *statements: account.control.settings(policies=[{"Statement": list(statements)}])
    account.control.settings(policies=[])


def test_a_caller_sees_what_is_missing_in_aws_words(account: t.Any, held: t.Callable[..., None]) -> None:
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


def test_tags_of_what_is_there_and_of_what_is_made_decide(account: t.Any, held: t.Callable[..., None]) -> None:
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


def test_what_elastic_load_balancing_looks_into_must_be_allowed(account: t.Any, held: t.Callable[..., None]) -> None:
    vpc = account.ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    held(statement("elasticloadbalancing:*", "*"), statement("ec2:DescribeVpcs", "*"))
    with pytest.raises(ClientError, match="not authorized to perform: ec2:DescribeInternetGateways"):
        account.client("elbv2").create_target_group(Name="a", Protocol="TCP", Port=22, VpcId=vpc, TargetType="ip")


def test_requests_without_an_operation_are_held_too(account: t.Any, held: t.Callable[..., None]) -> None:
    held(statement("s3:ListBucket", "arn:aws:s3:::other"))
    with pytest.raises(ClientError, match="not authorized to perform: s3:ListBucket on resource: arn:aws:s3:::scripts"):
        account.client("s3").list_objects_v2(Bucket="scripts")


def test_an_administrator_is_held_against_nothing(account: t.Any, held: t.Callable[..., None]) -> None:
    held(statement("ssm:GetParameter", "*"))
    account.client("sts").get_caller_identity()
    with pytest.raises(ClientError):
        account.sagemaker.list_clusters()
    type(account)(account.url, "ADMIN111111111111").sagemaker.list_clusters()
