# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions that each call requires, on resources that AWS publishes for the actions."""

from __future__ import annotations

import fnmatch
import json
import typing as t

import pytest
from lab.aws.permissions import published
from lab.aws.permissions.asked import required_permissions
from lab.aws.request import Call
from refusals import code

PROTOCOLS = {"ec2": "ec2", "elbv2": "query", "iam": "query"}
SAGEMAKER = "arn:aws:sagemaker:us-west-2:111111111111"
CLUSTER = f"{SAGEMAKER}:cluster/abc123def456"
EC2 = "arn:aws:ec2:us-west-2:111111111111"
EKS = "arn:aws:eks:us-west-2:111111111111"
ECR = "arn:aws:ecr:us-west-2:111111111111"
FSX = "arn:aws:fsx:us-west-2:111111111111"
SSM = "arn:aws:ssm:us-west-2:111111111111"
ELB = "arn:aws:elasticloadbalancing:us-west-2:111111111111"
ACM = "arn:aws:acm:us-west-2:111111111111"
RULE = "arn:aws:events:us-west-2:111111111111:rule"
QUEUE = "arn:aws:sqs:us-west-2:222222222222:a"
OF_QUEUE = {"QueueUrl": "http://127.0.0.1:5000/222222222222/a"}
ROLE = "arn:aws:iam::111111111111:role"
SECRET = "arn:aws:secretsmanager:us-west-2:111111111111:secret:a-AbCdEf"
ENTRY = f"{EKS}:access-entry/pods/role/111111111111/AWSServiceRoleForSageMakerHyperPod/0a1b2c3d"
NODES_ENTRY = f"{EKS}:access-entry/pods/role/111111111111/hyperpod-nodes/0a1b2c3d"
PLAN, CAPACITY = f"{SAGEMAKER}:training-plan/spring", f"{SAGEMAKER}:reserved-capacity/any"
NODE = "arn:aws:ec2:us-west-2:222222222222:instance/i-1"
OF_FSX = ("iam:CreateServiceLinkedRole", f"{ROLE}/aws-service-role/fsx.amazonaws.com/AWSServiceRole")
OURS = [{"Key": "mlfleet.hyperpod/component", "Value": "client_vpn"}]


def required(service: str, operation: str, **params: t.Any) -> list[tuple[str, str]]:
    call = Call("111111111111", "us-west-2", service, operation, PROTOCOLS.get(service, "json"), params=params)
    return [(permission.action, permission.resource) for permission in required_permissions(call)]


CALLS: list[tuple[str, str, dict[str, t.Any], list[tuple[str, str]]]] = [
    ("sagemaker", "ListClusters", {}, [("sagemaker:ListClusters", "*")]),
    ("sagemaker", "DescribeCluster", {"ClusterName": CLUSTER}, [("sagemaker:DescribeCluster", CLUSTER)]),
    (
        "sagemaker",
        "CreateCluster",
        {
            "ClusterName": "ml",
            "Tags": [{"Key": "a", "Value": "b"}],
            "InstanceGroups": [{"ExecutionRole": f"{ROLE}/hyperpod-a"}, {"ExecutionRole": f"{ROLE}/hyperpod-a"}],
            "ClusterRole": f"{ROLE}/hyperpod-k",
        },
        [
            ("sagemaker:CreateCluster", "arn:aws:sagemaker:us-west-2:111111111111:cluster/ml"),
            ("sagemaker:AddTags", "arn:aws:sagemaker:us-west-2:111111111111:cluster/ml"),
            ("iam:CreateServiceLinkedRole", f"{ROLE}/aws-service-role/hyperpod.sagemaker.amazonaws.com/AWSServiceRole"),
            ("iam:PassRole", f"{ROLE}/hyperpod-a"),
            ("iam:PassRole", f"{ROLE}/hyperpod-k"),
        ],
    ),
    ("sagemaker", "ListComputeQuotas", {"ClusterArn": CLUSTER}, [("sagemaker:ListComputeQuotas", "*")]),
    (
        "sagemaker",
        "CreateComputeQuota",
        {"ClusterArn": CLUSTER, "Tags": [{"Key": "a", "Value": "b"}]},
        [
            ("sagemaker:CreateComputeQuota", CLUSTER),
            ("sagemaker:CreateComputeQuota", f"{SAGEMAKER}:compute-quota/new"),
            ("sagemaker:AddTags", f"{SAGEMAKER}:compute-quota/new"),
        ],
    ),
    (
        "sagemaker",
        "UpdateClusterSchedulerConfig",
        {"ClusterSchedulerConfigId": "abc123def456"},
        [("sagemaker:UpdateClusterSchedulerConfig", f"{SAGEMAKER}:cluster-scheduler-config/abc123def456")],
    ),
    (
        "sagemaker",
        "UpdateCluster",
        {"ClusterName": CLUSTER, "Orchestrator": {"Eks": {"ClusterArn": f"{EKS}:cluster/pods"}}},
        [
            ("sagemaker:UpdateCluster", CLUSTER),
            ("eks:DescribeCluster", f"{EKS}:cluster/pods"),
            ("eks:CreateAccessEntry", f"{EKS}:cluster/pods"),
            ("eks:DescribeAccessEntry", ENTRY),
            ("eks:DeleteAccessEntry", ENTRY),
            ("eks:AssociateAccessPolicy", ENTRY),
        ],
    ),
    (
        "sagemaker",
        "UpdateCluster",
        {
            "ClusterName": CLUSTER,
            "Orchestrator": {"Eks": {"ClusterArn": f"{EKS}:cluster/pods"}},
            "InstanceGroups": [{"ExecutionRole": f"{ROLE}/hyperpod-nodes"}],
        },
        [
            ("sagemaker:UpdateCluster", CLUSTER),
            ("eks:DescribeCluster", f"{EKS}:cluster/pods"),
            *(
                action_and_resource
                for entry in (NODES_ENTRY, ENTRY)
                for action_and_resource in (
                    ("eks:CreateAccessEntry", f"{EKS}:cluster/pods"),
                    ("eks:DescribeAccessEntry", entry),
                    ("eks:DeleteAccessEntry", entry),
                )
            ),
            ("eks:AssociateAccessPolicy", ENTRY),
            ("iam:PassRole", f"{ROLE}/hyperpod-nodes"),
        ],
    ),
    (
        "sagemaker",
        "UpdateCluster",
        {"ClusterName": CLUSTER, "InstanceGroups": [{"TrainingPlanArn": PLAN}, {"TrainingPlanArn": PLAN}, {}]},
        [("sagemaker:UpdateCluster", each) for each in (CLUSTER, PLAN, CAPACITY)],
    ),
    *(
        (
            "sagemaker",
            operation,
            {"ClusterName": CLUSTER, **more},
            [
                (f"sagemaker:{operation}", CLUSTER),
                ("ec2:DescribeImages", "*"),
                ("ec2:DescribeSnapshots", "*"),
                ("ec2:ModifyImageAttribute", "arn:aws:ec2:us-west-2::image/ami-0123456789abcdef0"),
            ],
        )
        for operation, more in (
            ("UpdateClusterSoftware", {"ImageId": "ami-0123456789abcdef0"}),
            ("UpdateCluster", {"InstanceGroups": [{"ImageId": "ami-0123456789abcdef0"}, {"ImageId": "default"}]}),
        )
    ),
    (
        "sagemaker",
        "AttachClusterNodeVolume",
        {"ClusterArn": CLUSTER, "NodeId": "i-1", "VolumeId": "vol-1"},
        [
            ("sagemaker:AttachClusterNodeVolume", CLUSTER),
            ("ec2:AttachVolume", NODE),
            ("ec2:AttachVolume", f"{EC2}:volume/vol-1"),
            ("ec2:DescribeVolumes", "*"),
        ],
    ),
    (
        "sagemaker",
        "DetachClusterNodeVolume",
        {"ClusterArn": CLUSTER, "NodeId": "i-1", "VolumeId": "vol-1"},
        [
            ("sagemaker:DetachClusterNodeVolume", CLUSTER),
            ("ec2:DetachVolume", NODE),
            ("ec2:DetachVolume", f"{EC2}:volume/vol-1"),
            ("ec2:DescribeVolumes", "*"),
        ],
    ),
    (
        "sagemaker",
        "AttachClusterNodeNetworkInterface",
        {"ClusterName": CLUSTER, "NodeId": "i-1", "NetworkInterfaceId": "eni-1"},
        [
            ("sagemaker:AttachClusterNodeNetworkInterface", CLUSTER),
            ("ec2:AttachNetworkInterface", NODE),
            ("ec2:AttachNetworkInterface", f"{EC2}:network-interface/eni-1"),
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
    (
        "ec2",
        "CreateLaunchTemplate",
        {"LaunchTemplateName": "ml", "TagSpecifications": [{"ResourceType": "launch-template", "Tags": OURS}]},
        [("ec2:CreateLaunchTemplate", f"{EC2}:launch-template/new"), ("ec2:CreateTags", f"{EC2}:launch-template/new")],
    ),
    (
        "ec2",
        "CreateLaunchTemplateVersion",
        {"LaunchTemplateId": "lt-1", "LaunchTemplateData": {}},
        [("ec2:CreateLaunchTemplateVersion", f"{EC2}:launch-template/lt-1")],
    ),
    ("ec2", "CreateTags", {"Resources": ["lt-1"], "Tags": []}, [("ec2:CreateTags", f"{EC2}:launch-template/lt-1")]),
    (
        "secretsmanager",
        "CreateSecret",
        {"Name": "a", "Tags": [{"Key": "a", "Value": "b"}]},
        [(f"secretsmanager:{each}", SECRET) for each in ("CreateSecret", "TagResource")],
    ),
    ("secretsmanager", "GetSecretValue", {"SecretId": "a"}, [("secretsmanager:GetSecretValue", SECRET)]),
    ("secretsmanager", "ListSecrets", {}, [("secretsmanager:ListSecrets", "*")]),
    (
        "elbv2",
        "DeregisterTargets",
        {"TargetGroupArn": f"{ELB}:targetgroup/hp-ml/1"},
        [("elasticloadbalancing:DeregisterTargets", f"{ELB}:targetgroup/hp-ml/1")],
    ),
    (
        "elbv2",
        "ModifyListener",
        {"ListenerArn": f"{ELB}:listener/net/hp-ml/1/2"},
        [("elasticloadbalancing:ModifyListener", f"{ELB}:listener/net/hp-ml/1/2")],
    ),
    (
        "ec2",
        "AuthorizeSecurityGroupIngress",
        {"GroupId": "sg-1", "TagSpecifications": [{"ResourceType": "security-group-rule", "Tags": OURS}]},
        [("ec2:AuthorizeSecurityGroupIngress", f"{EC2}:security-group/sg-1"), ("ec2:CreateTags", f"{EC2}:security-group-rule/new")],
    ),
    (
        "acm",
        "ImportCertificate",
        {"Tags": OURS},
        [(f"acm:{each}", f"{ACM}:certificate/new") for each in ("ImportCertificate", "AddTagsToCertificate")],
    ),
    ("acm", "DeleteCertificate", {"CertificateArn": f"{ACM}:certificate/1"}, [("acm:DeleteCertificate", f"{ACM}:certificate/1")]),
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
    ("iam", "GetRole", {"RoleName": "a"}, [("iam:GetRole", f"{ROLE}/a")]),
    ("iam", "CreateRole", {"RoleName": "a"}, [("iam:CreateRole", f"{ROLE}/a")]),
    (
        "iam",
        "CreateRole",
        {"RoleName": "a", "Tags": [{"Key": "a", "Value": "b"}]},
        [("iam:CreateRole", f"{ROLE}/a"), ("iam:TagRole", f"{ROLE}/a")],
    ),
    ("iam", "ListAccountAliases", {}, [("iam:ListAccountAliases", "*")]),
    ("ecr", "GetAuthorizationToken", {}, [("ecr:GetAuthorizationToken", "*")]),
    ("ecr", "PutImage", {"repositoryName": "a/b"}, [("ecr:PutImage", f"{ECR}:repository/a/b")]),
    (
        "ecr",
        "DescribeRepositories",
        {"repositoryNames": ["a", "b"]},
        [("ecr:DescribeRepositories", f"{ECR}:repository/a"), ("ecr:DescribeRepositories", f"{ECR}:repository/b")],
    ),
    ("fsx", "DescribeFileSystems", {"FileSystemIds": ["fs-1"]}, [("fsx:DescribeFileSystems", "*")]),
    (
        "fsx",
        "CreateFileSystem",
        {"Tags": OURS},
        [("fsx:CreateFileSystem", f"{FSX}:file-system/new"), ("fsx:TagResource", f"{FSX}:file-system/new"), OF_FSX],
    ),
    ("fsx", "CreateFileSystem", {}, [("fsx:CreateFileSystem", f"{FSX}:file-system/new"), OF_FSX]),
    ("fsx", "UpdateFileSystem", {"FileSystemId": "fs-1"}, [("fsx:UpdateFileSystem", f"{FSX}:file-system/fs-1")]),
    ("fsx", "UntagResource", {"ResourceARN": f"{FSX}:file-system/fs-1"}, [("fsx:UntagResource", f"{FSX}:file-system/fs-1")]),
    ("fsx", "DeleteFileSystem", {"FileSystemId": "fs-1"}, [("fsx:DeleteFileSystem", f"{FSX}:file-system/fs-1")]),
    (
        "fsx",
        "DeleteFileSystem",
        {"FileSystemId": "fs-1", "LustreConfiguration": {"SkipFinalBackup": False, "FinalBackupTags": OURS}},
        [
            ("fsx:DeleteFileSystem", f"{FSX}:file-system/fs-1"),
            ("fsx:CreateBackup", f"{FSX}:file-system/fs-1"),
            ("fsx:CreateBackup", f"{FSX}:backup/new"),
            ("fsx:TagResource", f"{FSX}:backup/new"),
        ],
    ),
    ("events", "PutRule", {"Name": "a", "EventPattern": "{"}, [("events:PutRule", f"{RULE}/a")]),
    ("events", "PutRule", {"Name": "a", "Tags": OURS}, [("events:PutRule", f"{RULE}/a"), ("events:TagResource", f"{RULE}/a")]),
    ("events", "PutTargets", {"Rule": "a", "EventBusName": "default", "Targets": []}, [("events:PutTargets", f"{RULE}/a")]),
    ("events", "DescribeRule", {"Name": "a", "EventBusName": "b"}, [("events:DescribeRule", f"{RULE}/b/a")]),
    ("events", "UntagResource", {"ResourceARN": f"{RULE}/a", "TagKeys": []}, [("events:UntagResource", f"{RULE}/a")]),
    ("events", "ListRules", {"NamePrefix": "a"}, [("events:ListRules", "*")]),
    ("events", "PutEvents", {"Entries": [{}]}, [("events:PutEvents", "arn:aws:events:us-west-2:111111111111:event-bus/default")]),
    ("sqs", "ListQueues", {}, [("sqs:ListQueues", "*")]),
    (
        "sqs",
        "CreateQueue",
        {"QueueName": "b", "tags": {"a": "b"}},
        [(f"sqs:{each}", "arn:aws:sqs:us-west-2:111111111111:b") for each in ("CreateQueue", "TagQueue")],
    ),
    ("sqs", "GetQueueUrl", {"QueueName": "a", "QueueOwnerAWSAccountId": "222222222222"}, [("sqs:GetQueueUrl", QUEUE)]),
    ("sqs", "DeleteMessageBatch", OF_QUEUE, [("sqs:DeleteMessage", QUEUE)]),
    ("sqs", "TagQueue", {**OF_QUEUE, "Tags": {"a": "b"}}, [("sqs:TagQueue", QUEUE)]),
    ("cloudwatch", "GetMetricData", {}, [("cloudwatch:GetMetricData", "*")]),
]


@pytest.mark.parametrize(("service", "operation", "params", "expected"), CALLS)
def test_permissions_of_a_call(service: str, operation: str, params: dict[str, t.Any], expected: list[tuple[str, str]]) -> None:
    assert required(service, operation, **params) == expected


ENTRIES, ENTRY = "/clusters/pods/access-entries/arn:aws:iam::111111111111:role/a/b", f"{EKS}:access-entry/pods/role/111111111111/a/b/1"
NODES = f"{EKS}:nodegroup/pods/gpu/1"
REQUESTS = [
    ("eks", "GET /clusters/pods", "", ("eks:DescribeCluster", f"{EKS}:cluster/pods")),
    ("eks", "GET /clusters/pods/addons/vpc-cni", "", ("eks:DescribeAddon", f"{EKS}:addon/pods/vpc-cni/1")),
    ("eks", "GET /clusters/pods/addons", "", ("eks:ListAddons", f"{EKS}:cluster/pods")),
    ("eks", "GET /addons/supported-versions", "", ("eks:DescribeAddonVersions", "*")),
    ("eks", "POST /clusters/pods/addons/vpc-cni/update", "", ("eks:UpdateAddon", f"{EKS}:addon/pods/vpc-cni/1")),
    ("eks", "GET /clusters/pods/updates/1", "addonName", ("eks:DescribeUpdate", f"{EKS}:addon/pods/any/1")),
    ("eks", "GET /clusters/pods/updates/1", "nodegroupName", ("eks:DescribeUpdate", f"{EKS}:nodegroup/pods/any/1")),
    ("eks", "GET /clusters/pods/node-groups", "", ("eks:ListNodegroups", f"{EKS}:cluster/pods")),
    ("eks", "POST /clusters/pods/node-groups", "", ("eks:CreateNodegroup", f"{EKS}:cluster/pods")),
    ("eks", "GET /clusters/pods/node-groups/gpu", "", ("eks:DescribeNodegroup", NODES)),
    ("eks", "POST /clusters/pods/node-groups/gpu/update-config", "", ("eks:UpdateNodegroupConfig", NODES)),
    ("eks", "POST /clusters/pods/node-groups/gpu/update-version", "", ("eks:UpdateNodegroupVersion", NODES)),
    ("eks", "DELETE /clusters/pods/node-groups/gpu", "", ("eks:DeleteNodegroup", NODES)),
    ("eks", f"GET {ENTRIES}", "", ("eks:DescribeAccessEntry", ENTRY)),
    ("eks", f"POST {ENTRIES}/access-policies", "", ("eks:AssociateAccessPolicy", ENTRY)),
    ("eks", f"DELETE {ENTRIES}/access-policies/arn:aws:eks::aws:cluster-access-policy/A", "", ("eks:DisassociateAccessPolicy", ENTRY)),
    ("eks", "DELETE /clusters/pods/pod-identity-associations/a-1", "", ("eks:DeletePodIdentityAssociation", f"{EKS}:podidentityassociation/pods/a-1")),
    ("eks", f"POST /tags/{EKS}:addon/pods/vpc-cni/1", "", ("eks:TagResource", f"{EKS}:addon/pods/vpc-cni/1")),
    ("eks", "DELETE /clusters/pods", "", ("eks:DeleteCluster", f"{EKS}:cluster/pods")),
    ("eks", "POST /clusters", "", ("eks:CreateCluster", "*")),
    ("eks", "GET /clusters", "", ("eks:ListClusters", "*")),
    ("eks", "POST /clusters/pods/update-config", "", ("eks:UpdateClusterConfig", f"{EKS}:cluster/pods")),
    ("eks", "POST /clusters/pods/updates", "", ("eks:UpdateClusterVersion", f"{EKS}:cluster/pods")),
    ("eks", "GET /clusters/pods/updates", "", ("eks:ListUpdates", f"{EKS}:cluster/pods")),
    ("eks", "GET /clusters/pods/updates/1", "", ("eks:DescribeUpdate", f"{EKS}:cluster/pods")),
    ("eks", "POST /clusters/pods/encryption-config/associate", "", ("eks:AssociateEncryptionConfig", f"{EKS}:cluster/pods")),
    ("eks", "POST /clusters/pods/insights", "", ("eks:ListInsights", f"{EKS}:cluster/pods")),
    ("eks", "GET /clusters/pods/fargate-profiles", "", ("eks:ListFargateProfiles", f"{EKS}:cluster/pods")),
    ("eks", "GET /clusters/pods/fargate-profiles/web", "", ("eks:DescribeFargateProfile", f"{EKS}:fargateprofile/pods/web/1")),
    ("eks", "GET /cluster-versions", "", ("eks:DescribeClusterVersions", "*")),
    ("eks", "DELETE /clusters/pods/capabilities/a", "", ("eks:DELETE /clusters/pods/capabilities/a", "*")),
    ("s3", "HEAD /scripts", "", ("s3:ListBucket", "arn:aws:s3:::scripts")),
    ("s3", "GET /scripts/", "list-type", ("s3:ListBucket", "arn:aws:s3:::scripts")),
    ("s3", "GET /scripts", "ownershipControls", ("s3:GetBucketOwnershipControls", "arn:aws:s3:::scripts")),
    ("s3", "GET /scripts", "policy", ("s3:GET /scripts policy", "*")),
    ("s3", "HEAD /scripts/a/b.sh", "", ("s3:GetObject", "arn:aws:s3:::scripts/a/b.sh")),
    ("s3", "GET /scripts/a/b.sh", "tagging", ("s3:GetObjectTagging", "arn:aws:s3:::scripts/a/b.sh")),
    ("s3", "PUT /scripts/a/b.sh", "", ("s3:PutObject", "arn:aws:s3:::scripts/a/b.sh")),
]


@pytest.mark.parametrize(("service", "operation", "query", "expected"), REQUESTS)
def test_permissions_of_a_request_with_method_and_path(service: str, operation: str, query: str, expected: tuple[str, str]) -> None:
    call = Call("111111111111", "us-west-2", service, operation, "rest-json", query=[query])
    assert [(permission.action, permission.resource) for permission in required_permissions(call)] == [expected]


def test_a_request_to_s3_has_the_account_of_the_bucket() -> None:
    moto = pytest.importorskip("moto.s3.models")
    moto.s3_backends["222222222222"]["aws"].create_bucket("of-another", "us-west-2")
    try:
        for bucket, account in (("of-another", "222222222222"), ("of-nobody", "111111111111")):
            call = Call("111111111111", "us-west-2", "s3", f"GET /{bucket}/a", "rest-xml", query=[""])
            assert [permission.context.get("aws:ResourceAccount") for permission in required_permissions(call)] == [account]
    finally:
        moto.s3_backends["222222222222"]["aws"].reset()


PODS = f"{ROLE}/pods"


def test_a_role_for_pods_requires_pass_role() -> None:
    inline = {"podIdentityAssociations": [{"serviceAccount": "a", "roleArn": PODS}]}
    for request, params, expected in (
        ("POST /clusters/pods/pod-identity-associations", {"roleArn": PODS}, ["eks:CreatePodIdentityAssociation", "iam:PassRole"]),
        ("POST /clusters/pods/addons", inline, ["eks:CreateAddon", "eks:CreateAddon", "iam:PassRole"]),
        ("POST /clusters/pods/addons", {"podIdentityAssociations": []}, ["eks:CreateAddon"]),
    ):
        found = required_permissions(Call("111111111111", "us-west-2", "eks", request, "rest-json", params=params))
        assert [permission.action for permission in found] == expected
        assert [permission.context for permission in found if permission.resource == PODS] in ([], [{"iam:PassedToService": "pods.eks.amazonaws.com"}])


@pytest.mark.parametrize(("access", "creator"), [({}, "true"), ({"accessConfig": {"bootstrapClusterCreatorAdminPermissions": False}}, "false")])
def test_a_new_cluster_requires_pass_role(access: dict[str, t.Any], creator: str) -> None:
    params = {"roleArn": f"{ROLE}/eks", **access}
    found = required_permissions(Call("111111111111", "us-west-2", "eks", "POST /clusters", "rest-json", params=params))
    context = {"eks:bootstrapClusterCreatorAdminPermissions": creator}
    assert [(each.action, each.resource, each.context) for each in found] == [
        ("eks:CreateCluster", "*", context),
        ("iam:PassRole", f"{ROLE}/eks", {"iam:PassedToService": "eks.amazonaws.com"}),
        ("iam:CreateServiceLinkedRole", f"{ROLE}/aws-service-role/eks.amazonaws.com/AWSServiceRole", {"iam:AWSServiceName": "eks.amazonaws.com"}),
    ]


def test_a_role_for_nodes_requires_pass_role() -> None:
    call = Call("111111111111", "us-west-2", "eks", "POST /clusters/pods/node-groups", "rest-json", params={"nodeRole": f"{ROLE}/nodes"})
    _create, passing, own = required_permissions(call)
    assert (passing.action, passing.resource, passing.context) == ("iam:PassRole", f"{ROLE}/nodes", {"iam:PassedToService": "eks.amazonaws.com"})
    assert (own.action, own.context) == ("iam:CreateServiceLinkedRole", {"iam:AWSServiceName": "eks-nodegroup.amazonaws.com"})


def test_targets_and_the_pattern_of_a_rule_are_in_the_context() -> None:
    pattern = {"source": ["aws.sagemaker"], "detail-type": ["A"], "detail": {}}
    for operation, params, context in (
        ("PutRule", {"Name": "a", "EventPattern": json.dumps(pattern)}, {"events:source": ["aws.sagemaker"], "events:detail-type": ["A"]}),
        ("PutTargets", {"Rule": "a", "Targets": [{"Arn": QUEUE}]}, {"events:TargetArn": [QUEUE]}),
    ):
        (found,) = required_permissions(Call("111111111111", "us-west-2", "events", operation, "json", params=params))
        assert found.context == context


def test_tags_of_rules_and_queues_are_in_the_context(account: t.Any) -> None:
    sqs, events, tag = account.client("sqs"), account.client("events"), {"team": "a"}
    url = sqs.create_queue(QueueName="tagged", tags=tag)["QueueUrl"]
    events.put_rule(Name="tagged", EventPattern="{}", Tags=[{"Key": "team", "Value": "a"}])
    statement = {"Effect": "Allow", "Action": ["sqs:*", "events:*"], "Resource": "*"}
    for team, expected in (("a", ""), ("b", "AccessDenied")):
        condition = {"StringEquals": {"aws:ResourceTag/team": team}}
        account.control.settings(policies=[{"Statement": [{**statement, "Condition": condition}]}])
        assert code(sqs.get_queue_attributes, QueueUrl=url) == expected
        assert code(events.describe_rule, Name="tagged") == (expected and f"{expected}Exception")


REQUIRED = {each for _service, _operation, _params, expected in CALLS for each in expected} | {expected for *_call, expected in REQUESTS}
ASSUMED = {("ssm:StartSession", CLUSTER), ("cloudwatch:GetMetricData", "*")}
"""The published data lists no cluster for the former (docs/reference/iam.md), and only optional resources for the latter."""
CLASSIC = {"elasticloadbalancing:AddTags"}
"""The published data has only the action of this name for Classic Load Balancers."""


def published_for(action: str) -> bool:
    """Whether published data exists; not for the name that the lab gives to unknown requests."""
    return " " not in action and not published.NEWER.fullmatch(action) and action not in CLASSIC


@pytest.mark.parametrize(("action", "resource"), sorted(each for each in REQUIRED - ASSUMED if published_for(each[0])))
def test_an_action_is_required_on_a_resource_that_aws_publishes_for_it(action: str, resource: str) -> None:
    assert published.exists(action)
    arns, _keys = published.details(action)
    assert any(fnmatch.fnmatchcase(resource, each) for each in arns) if resource != "*" else not arns
