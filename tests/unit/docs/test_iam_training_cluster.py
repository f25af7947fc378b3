# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The policies for training clusters allow what the role needs, and refuse each known way to an administrator, by the lab's evaluator."""

from __future__ import annotations

import fnmatch
import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.identities import ROLES, role_arn, role_name
from lab.aws.permissions.asked import Permission
from lab.aws.permissions.escalation import BOUNDARY, OTHER_BOUNDARY
from lab.aws.permissions.policy import Statement, allows, many

Context = t.Mapping[str, t.Any]
FOLDER = Path(__file__).resolve().parents[3] / "docs/reference/iam"
DOCUMENTS: dict[str, list[Statement]] = {path.stem: json.loads(path.read_text())["Statement"] for path in FOLDER.glob("*.json")}
ACCOUNT, OTHERS = "111111111111", "999999999999"
TRAINING = [statement for name, statements in DOCUMENTS.items() if name.startswith("training-cluster-") for statement in statements]
TOGETHER = [statement for name, statements in DOCUMENTS.items() if name != "boundary" for statement in statements]
CLUSTER = f"arn:aws:eks:us-west-2:{ACCOUNT}:cluster/ml"
TAG = "mlfleet.hyperpod/cluster"
OURS, NEW = {f"aws:ResourceTag/{TAG}": CLUSTER}, {f"aws:RequestTag/{TAG}": CLUSTER}
FOREIGN: tuple[Context, ...] = (
    {},
    NEW,
    {f"aws:ResourceTag/{TAG}": CLUSTER.replace(ACCOUNT, OTHERS)},
    {f"aws:ResourceTag/{TAG}": f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:cluster/abc123def456"},
)
"""Contexts of resources that are not of a training cluster. A tag in the request must not make them so."""
ROLE = {part: role_arn("aws", ACCOUNT, role_name("ml", "us-west-2", part)) for part in ("cluster", "nodes", "vpc-cni")}
ADMINISTRATOR = f"arn:aws:iam::{ACCOUNT}:role/Administrator"
BOUNDED, OTHERWISE_BOUNDED = {"iam:PermissionsBoundary": BOUNDARY}, {"iam:PermissionsBoundary": OTHER_BOUNDARY}


def ec2(kind: str) -> str:
    return f"arn:aws:ec2:us-west-2:{ACCOUNT}:{kind}/x-1"


def may(statements: t.Iterable[Statement], action: str, resource: str, context: Context | None = None) -> bool:
    return allows(statements, Permission(action, resource, context or {}))


def attached(name: str) -> dict[str, str]:
    return {"iam:PolicyARN": f"arn:aws:iam::aws:policy/{name}"}


def passed(service: str) -> dict[str, str]:
    return {"iam:PassedToService": f"{service}.amazonaws.com"}


def test_exactly_the_policies_of_the_roles_can_be_attached() -> None:
    (statement,) = [each for each in DOCUMENTS["training-cluster-roles"] if "iam:AttachRolePolicy" in many(each["Action"])]
    expected = {arn for role in ROLES for arn in role.managed_arns("aws")}
    assert statement["Condition"]["ArnEquals"]["iam:PolicyARN"] == sorted(expected, key=lambda arn: arn.rpartition("policy/")[2])


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.part)
@pytest.mark.parametrize("cluster", ["ml", "m" * 100])
def test_each_role_can_be_created_changed_passed_and_removed(role: t.Any, cluster: str) -> None:
    arn = role_arn("aws", ACCOUNT, role_name(cluster, "us-west-2", role.part))
    for action in ("CreateRole", "PutRolePermissionsBoundary", "PutRolePolicy"):
        assert may(TRAINING, f"iam:{action}", arn, BOUNDED)
    for name in role.managed:
        assert may(TRAINING, "iam:AttachRolePolicy", arn, {**BOUNDED, **attached(name)})
    assert may(TRAINING, "iam:PassRole", arn, {"iam:PassedToService": role.service})
    for action in ("GetRole", "TagRole", "DetachRolePolicy", "DeleteRolePolicy", "DeleteRole"):
        assert may(TRAINING, f"iam:{action}", arn, BOUNDED)


WAYS: list[tuple[str, str, Context]] = [
    # Roles
    ("iam:AttachRolePolicy", ROLE["nodes"], {**BOUNDED, **attached("AdministratorAccess")}),
    ("iam:AttachRolePolicy", ROLE["nodes"], {**BOUNDED, **attached("IAMFullAccess")}),
    ("iam:AttachRolePolicy", ROLE["nodes"], {**BOUNDED, "iam:PolicyARN": f"arn:aws:iam::{ACCOUNT}:policy/AmazonEKSClusterPolicy"}),
    ("iam:AttachRolePolicy", ROLE["nodes"], attached("AmazonEKSClusterPolicy")),
    ("iam:AttachRolePolicy", ADMINISTRATOR, {**BOUNDED, **attached("AmazonEKSClusterPolicy")}),
    ("iam:CreateRole", ROLE["nodes"], {}),
    ("iam:CreateRole", ROLE["nodes"], OTHERWISE_BOUNDED),
    ("iam:CreateRole", f"arn:aws:iam::{ACCOUNT}:role/mine", BOUNDED),
    ("iam:CreateRole", f"arn:aws:iam::{ACCOUNT}:role/mine/hyperpod-eks/nodes", BOUNDED),
    ("iam:PutRolePolicy", ROLE["nodes"], {}),
    ("iam:PutRolePolicy", ROLE["nodes"], OTHERWISE_BOUNDED),
    ("iam:PutRolePolicy", f"arn:aws:iam::{ACCOUNT}:role/mlfleet-login-access", BOUNDED),
    ("iam:DeleteRolePermissionsBoundary", ROLE["nodes"], BOUNDED),
    ("iam:PutRolePermissionsBoundary", ROLE["nodes"], OTHERWISE_BOUNDED),
    ("iam:UpdateAssumeRolePolicy", ROLE["nodes"], BOUNDED),
    ("iam:UpdateAssumeRolePolicy", ADMINISTRATOR, {}),
    ("iam:DeleteRole", ADMINISTRATOR, {}),
    ("iam:DetachRolePolicy", ADMINISTRATOR, attached("AWSDenyAll")),
    ("sts:AssumeRole", ADMINISTRATOR, {}),
    ("iam:CreatePolicyVersion", BOUNDARY, {}),
    ("iam:SetDefaultPolicyVersion", BOUNDARY, {}),
    ("iam:DeletePolicy", BOUNDARY, {}),
    ("iam:CreateServiceLinkedRole", f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/x/y", {"iam:AWSServiceName": "ssm.amazonaws.com"}),
    # Roles of others for code of the holder
    *(("iam:PassRole", ADMINISTRATOR, passed(service)) for service in ("ec2", "eks", "pods.eks", "lambda", "sagemaker")),
    *(("iam:PassRole", ROLE["cluster"], passed(service)) for service in ("ec2", "lambda", "sagemaker", "cloudformation")),
    *(("iam:PassRole", f"arn:aws:iam::{OTHERS}:role/hyperpod-eks/ml-nodes", passed(service)) for service in ("ec2", "eks", "pods.eks")),
    ("iam:PassRole", ROLE["nodes"], {}),
    # Instance profiles, and instances with code of the holder
    ("iam:CreateInstanceProfile", f"arn:aws:iam::{ACCOUNT}:instance-profile/hyperpod-eks/mine", {}),
    ("iam:AddRoleToInstanceProfile", f"arn:aws:iam::{ACCOUNT}:instance-profile/hyperpod-eks/mine", {}),
    *((f"ec2:{each}", ec2("instance"), {}) for each in ("AssociateIamInstanceProfile", "ReplaceIamInstanceProfileAssociation")),
    ("ec2:ModifyInstanceAttribute", ec2("instance"), OURS),
    ("ec2:RunInstances", ec2("instance"), {}),
    ("ec2:RunInstances", ec2("instance"), {"ec2:LaunchTemplate": ec2("launch-template").replace(ACCOUNT, OTHERS)}),
    *(
        (f"ec2:{each}", ec2("launch-template"), context)
        for each in ("RunInstances", "CreateLaunchTemplateVersion", "ModifyLaunchTemplate", "DeleteLaunchTemplate")
        for context in FOREIGN
    ),
    # Tags that make resources of others look like ours
    *(
        ("ec2:CreateTags", ec2(kind), context)
        for kind in ("vpc", "subnet", "elastic-ip", "route-table", "instance", "volume", "launch-template", "placement-group")
        for context in FOREIGN
    ),
    ("ec2:CreateTags", ec2("instance"), {"ec2:CreateAction": "CreateVpc"}),
    # Kubernetes
    ("eks:CreateCluster", "*", {"eks:bootstrapClusterCreatorAdminPermissions": "true"}),
    ("eks:CreateCluster", "*", {}),
    ("eks:AssociateIdentityProviderConfig", CLUSTER, OURS),
    ("eks:CreateFargateProfile", CLUSTER, OURS),
    ("eks:CreateCapability", CLUSTER, OURS),
]


@pytest.mark.parametrize(("action", "resource", "context"), WAYS)
def test_a_way_to_an_administrator_is_refused(action: str, resource: str, context: Context) -> None:
    """Even to a role with all documented policies."""
    assert not may(TOGETHER, action, resource, context)


ENTRY = f"arn:aws:eks:us-west-2:{ACCOUNT}:access-entry/ml/role/{ACCOUNT}/who/1"
OPERATORS = f"arn:aws:iam::{ACCOUNT}:role/mlfleet-login-access"


@pytest.mark.parametrize(
    ("principal", "policy", "tags", "allowed"),
    [
        (OPERATORS, "AmazonEKSClusterAdminPolicy", OURS, True),
        (OPERATORS, "AmazonEKSClusterAdminPolicy", {}, False),
        (OPERATORS, "AmazonEKSClusterAdminPolicy", FOREIGN[2], False),
        (OPERATORS, "AmazonEKSAdminPolicy", OURS, False),
        (OPERATORS, "AmazonEKSSecretReaderPolicy", OURS, False),
        (ADMINISTRATOR, "AmazonEKSClusterAdminPolicy", OURS, False),
        (f"arn:aws:iam::{ACCOUNT}:user/mlfleet-me", "AmazonEKSClusterAdminPolicy", OURS, False),
        (OPERATORS.replace(ACCOUNT, OTHERS), "AmazonEKSClusterAdminPolicy", OURS, False),
        (ROLE["nodes"], "AmazonEKSClusterAdminPolicy", OURS, False),
    ],
)
def test_only_operators_become_administrators_of_eks_clusters(principal: str, policy: str, tags: Context, allowed: bool) -> None:
    given = {"eks:principalArn": principal, "eks:policyArn": f"arn:aws:eks::aws:cluster-access-policy/{policy}", "eks:accessScope": "cluster"}
    assert may(TOGETHER, "eks:AssociateAccessPolicy", ENTRY, {**given, "eks:accessEntryType": "STANDARD", **tags}) is allowed


MADE = {
    "AllocateAddress": ("elastic-ip", []),
    "CreateInternetGateway": ("internet-gateway", []),
    "CreateNatGateway": ("natgateway", ["subnet", "elastic-ip"]),
    "CreatePlacementGroup": ("placement-group", []),
    "CreateRouteTable": ("route-table", ["vpc"]),
    "CreateSubnet": ("subnet", ["vpc"]),
    "CreateVpc": ("vpc", []),
    "CreateVpcEndpoint": ("vpc-endpoint", ["vpc", "route-table"]),
}
"""By action: the kind of the new resource, and those of the existing resources that it belongs to."""


@pytest.mark.parametrize("action", MADE)
def test_networks_are_created_only_with_the_tag_and_only_in_our_networks(action: str) -> None:
    kind, parents = MADE[action]
    assert may(TRAINING, f"ec2:{action}", ec2(kind), NEW)
    assert not any(may(TRAINING, f"ec2:{action}", ec2(kind), context) for context in FOREIGN if context is not NEW)
    assert may(TRAINING, "ec2:CreateTags", ec2(kind), {**NEW, "ec2:CreateAction": action})
    for parent in parents:
        assert may(TRAINING, f"ec2:{action}", ec2(parent), OURS)
        assert not any(may(TRAINING, f"ec2:{action}", ec2(parent), context) for context in FOREIGN), parent


CHANGED = {
    "AssociateRouteTable": ["route-table", "subnet"],
    "AttachInternetGateway": ["internet-gateway", "vpc"],
    "AuthorizeSecurityGroupEgress": ["security-group"],
    "AuthorizeSecurityGroupIngress": ["security-group"],
    "CreateRoute": ["route-table"],
    "CreateTags": ["vpc", "subnet", "security-group-rule", "natgateway"],
    "DeleteRoute": ["route-table"],
    "DeleteTags": ["vpc", "subnet", "placement-group"],
    "DisassociateRouteTable": ["route-table", "subnet"],
    "ModifySubnetAttribute": ["subnet"],
    "ModifyVpcAttribute": ["vpc"],
    "ReplaceRoute": ["route-table"],
    "RevokeSecurityGroupEgress": ["security-group"],
    "RevokeSecurityGroupIngress": ["security-group"],
}
REMOVED = {
    "DeleteInternetGateway": ["internet-gateway"],
    "DeleteNatGateway": ["natgateway"],
    "DeletePlacementGroup": ["placement-group"],
    "DeleteRouteTable": ["route-table"],
    "DeleteSecurityGroup": ["security-group"],
    "DeleteSubnet": ["subnet"],
    "DeleteVpc": ["vpc"],
    "DeleteVpcEndpoints": ["vpc-endpoint"],
    "DetachInternetGateway": ["internet-gateway", "vpc"],
    "ReleaseAddress": ["elastic-ip"],
}


@pytest.mark.parametrize(
    ("name", "action", "kinds"),
    [*(("network", *each) for each in CHANGED.items()), *(("remove", *each) for each in REMOVED.items())],
)
def test_only_our_networks_are_changed_and_removed(name: str, action: str, kinds: list[str]) -> None:
    for kind in kinds:
        assert may(DOCUMENTS[f"training-cluster-{name}"], f"ec2:{action}", ec2(kind), OURS)
        assert not any(may(TRAINING, f"ec2:{action}", ec2(kind), context) for context in FOREIGN), kind


def test_only_the_policy_for_removal_deletes_networks_and_roles() -> None:
    others = [statement for name, statements in DOCUMENTS.items() if name != "training-cluster-remove" for statement in statements]
    for action, kinds in REMOVED.items():
        assert not any(may(others, f"ec2:{action}", ec2(kind), OURS) for kind in kinds), action
    assert not may(others, "iam:DeleteRole", ROLE["nodes"], BOUNDED)


def test_a_file_systems_security_group_can_be_in_any_vpc() -> None:
    assert may(TRAINING, "ec2:CreateSecurityGroup", ec2("vpc")) and may(TRAINING, "ec2:CreateSecurityGroup", ec2("security-group"), NEW)
    assert not may(TRAINING, "ec2:CreateSecurityGroup", ec2("security-group"))
    assert may(TRAINING, "ec2:AuthorizeSecurityGroupIngress", ec2("security-group-rule"))


def test_node_groups_start_instances_from_our_templates() -> None:
    from_template = {"ec2:LaunchTemplate": ec2("launch-template")}
    assert may(TRAINING, "ec2:RunInstances", ec2("launch-template"), {**OURS, **from_template})
    for kind in ("instance", "network-interface", "security-group", "subnet", "volume", "capacity-reservation", "placement-group"):
        assert may(TRAINING, "ec2:RunInstances", ec2(kind), from_template), kind
    assert may(TRAINING, "ec2:RunInstances", "arn:aws:ec2:us-west-2::image/ami-1", from_template)
    for kind in ("instance", "volume", "network-interface"):
        assert may(TRAINING, "ec2:CreateTags", ec2(kind), {"ec2:CreateAction": "RunInstances"})


@pytest.mark.parametrize("service", ["eks", "eks-nodegroup", "autoscaling", "spot", "fsx"])
def test_aws_can_create_its_own_roles(service: str) -> None:
    role = f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/{service}.amazonaws.com/AWSServiceRole"
    assert may(TRAINING, "iam:CreateServiceLinkedRole", role, {"iam:AWSServiceName": f"{service}.amazonaws.com"})


BY_LIMIT = [*DOCUMENTS["boundary"]]
EFS, VOLUME, SNAPSHOT = "arn:aws:elasticfilesystem:us-west-2:111111111111:", ec2("volume"), "arn:aws:ec2:us-west-2::snapshot/snap-1"
EBS_TAG, EFS_TAG = "ebs.csi.aws.com/cluster", "efs.csi.aws.com/cluster"
EBS_NEW, EBS_OURS = {f"aws:RequestTag/{EBS_TAG}": "true"}, {f"aws:ResourceTag/{EBS_TAG}": "true"}
EFS_NEW, EFS_OURS = {f"aws:RequestTag/{EFS_TAG}": "true"}, {f"aws:ResourceTag/{EFS_TAG}": "true"}
LOGS = f"arn:aws:logs:us-west-2:{ACCOUNT}:log-group:/aws/containerinsights/ml/performance:log-stream:a"
READS = {
    "cluster": "Instances NetworkInterfaces Vpcs DhcpOptions AvailabilityZones InstanceTopology",
    "nodes": "Instances InstanceTypes RouteTables SecurityGroups Subnets Volumes VolumesModifications Vpcs",
    "vpc-cni": "Instances Tags NetworkInterfaces InstanceTypes Subnets SecurityGroups",
    "aws-ebs-csi-driver": "AvailabilityZones Instances InstanceTypes Snapshots Volumes VolumesModifications VolumeStatus",
    "amazon-cloudwatch-observability": "Volumes Tags",
}
INTERFACES = (
    *("AssignPrivateIpAddresses", "AttachNetworkInterface", "CreateNetworkInterface", "DeleteNetworkInterface"),
    *("DetachNetworkInterface", "ModifyNetworkInterfaceAttribute", "UnassignPrivateIpAddresses"),
)
PULLS = "GetAuthorizationToken BatchGetImage GetDownloadUrlForLayer BatchImportUpstreamImage"
CNI, EBS, EFS_DRIVER, S3 = "vpc-cni", "aws-ebs-csi-driver", "aws-efs-csi-driver", "aws-mountpoint-s3-csi-driver"
WATCH, OPERATOR = "amazon-cloudwatch-observability", "amazon-sagemaker-hyperpod-training-operator"
NEEDED: list[tuple[str, str, str, Context]] = [
    *((part, f"ec2:Describe{each}", "*", {}) for part, kinds in READS.items() for each in kinds.split()),
    ("cluster", "kms:DescribeKey", f"arn:aws:kms:us-west-2:{ACCOUNT}:key/1", {}),
    ("cluster", "ec2:CreateTags", ec2("instance"), {"aws:TagKeys": ["kubernetes.io/cluster/ml"]}),
    *(("nodes", f"ecr:{each}", "*", {}) for each in PULLS.split()),
    ("nodes", "eks:DescribeCluster", CLUSTER, {}),
    ("nodes", "eks-auth:AssumeRoleForPodIdentity", CLUSTER, {}),
    *((CNI, f"ec2:{each}", "*", {}) for each in INTERFACES),
    (CNI, "ec2:CreateTags", ec2("network-interface"), {}),
    (EBS, "ec2:CreateVolume", VOLUME, EBS_NEW),
    (EBS, "ec2:CreateVolume", SNAPSHOT, EBS_OURS),
    (EBS, "ec2:CreateSnapshot", SNAPSHOT, EBS_NEW),
    (EBS, "ec2:CreateSnapshot", VOLUME, EBS_OURS),
    (EBS, "ec2:DeleteSnapshot", SNAPSHOT, EBS_OURS),
    *((EBS, f"ec2:{each}Volume", VOLUME, EBS_OURS) for each in ("Attach", "Detach", "Modify", "Delete")),
    *((EBS, f"ec2:{each}Volume", ec2("instance"), {}) for each in ("Attach", "Detach")),
    (EBS, "ec2:CreateTags", VOLUME, {"ec2:CreateAction": "CreateVolume"}),
    (EBS, "ec2:CreateTags", SNAPSHOT, {"ec2:CreateAction": "CreateSnapshot"}),
    ("aws-fsx-csi-driver", "fsx:DescribeFileSystems", "*", {}),
    *((EFS_DRIVER, f"elasticfilesystem:Describe{each}", "*", {}) for each in ("AccessPoints", "FileSystems", "MountTargets")),
    (EFS_DRIVER, "ec2:DescribeAvailabilityZones", "*", {}),
    (EFS_DRIVER, "elasticfilesystem:CreateAccessPoint", f"{EFS}file-system/fs-1", EFS_NEW),
    (EFS_DRIVER, "elasticfilesystem:TagResource", f"{EFS}access-point/a", {"elasticfilesystem:CreateAction": "CreateAccessPoint"}),
    (EFS_DRIVER, "elasticfilesystem:DeleteAccessPoint", f"{EFS}access-point/a", EFS_OURS),
    (S3, "s3:ListBucket", "arn:aws:s3:::sagemaker-data", {"aws:ResourceAccount": ACCOUNT}),
    (S3, "s3:GetObject", "arn:aws:s3:::sagemaker-data/a", {"aws:ResourceAccount": ACCOUNT}),
    *((WATCH, f"logs:{each}", LOGS, {}) for each in ("CreateLogGroup", "CreateLogStream", "DescribeLogStreams", "PutLogEvents")),
    *((WATCH, "cloudwatch:PutMetricData", "*", {"cloudwatch:namespace": each}) for each in ("ContainerInsights", "CWAgent")),
    (OPERATOR, "sagemaker:DescribeClusterNode", f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:cluster/abc123def456", {}),
]
"""What each role does, from the managed policies that it has, and for the cluster from the minimum in EKS's guide."""


@pytest.mark.parametrize(("part", "action", "resource", "context"), NEEDED)
def test_the_boundary_allows_what_the_roles_need(part: str, action: str, resource: str, context: Context) -> None:
    assert part in {role.part for role in ROLES}
    assert may(BY_LIMIT, action, resource, context)


def test_the_boundary_allows_the_inline_policies() -> None:
    own = {"aws:ResourceAccount": ACCOUNT}
    given = [statement for role in ROLES for statement in role.inline]
    assert len(given) == 2
    for statement in given:
        for action in many(statement["Action"]):
            assert may(BY_LIMIT, action, statement["Resource"], own), action


LEFT_OUT = {
    "cluster": "autoscaling: elasticloadbalancing: iam: ec2:*Route ec2:*SecurityGroup* ec2:*Volume* ec2:ModifyInstanceAttribute "
    "ec2:DescribeAccountAttributes ec2:DescribeAddresses ec2:DescribeInternetGateways ec2:DescribeRouteTables ec2:DescribeSubnets "
    "ec2:DeleteNetworkInterface",
    EBS: "ec2:CopyVolumes ec2:EnableFastSnapshotRestores ec2:LockSnapshot ec2:DeleteTags",
    WATCH: "logs:DescribeLogGroups logs:PutRetentionPolicy ssm: xray:",
}
"""Actions of AWS managed policies that the roles need only for other features. An action ends with ``:`` for a whole service."""


@pytest.mark.parametrize("role", [role for role in ROLES if role.managed], ids=lambda role: role.part)
def test_the_needs_are_complete(role: t.Any) -> None:
    """The managed policies of a role, in the copy of moto, contain no other action, and exist under their ARNs."""
    known = json.loads(pytest.importorskip("moto.iam.aws_managed_policies").aws_managed_policies_data)
    actions = set()
    for name in role.managed:
        path, _slash, plain = f"/{name}".rpartition("/")
        assert known[plain]["Path"] == f"{path}/"
        actions |= {action for statement in known[plain]["Document"]["Statement"] for action in many(statement["Action"])}
    patterns = [each.replace(":", ":*") if each.endswith(":") else each for each in LEFT_OUT.get(role.part, "").split()]
    needed = {action for part, action, *_rest in NEEDED if part == role.part}
    assert needed - actions == set()
    assert [each for each in sorted(actions - needed) if not any(fnmatch.fnmatchcase(each, pattern) for pattern in patterns)] == []
    assert {part for part, *_rest in NEEDED} == {each.part for each in ROLES}


@pytest.mark.parametrize(
    ("action", "resource", "context"),
    [
        ("iam:CreateServiceLinkedRole", f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/x/y", {}),
        ("iam:PassRole", ROLE["nodes"], passed("ec2")),
        ("sts:AssumeRole", ADMINISTRATOR, {}),
        ("ec2:RunInstances", ec2("instance"), {}),
        ("ec2:ModifyInstanceAttribute", ec2("instance"), {}),
        ("ec2:CreateTags", ec2("instance"), {"aws:TagKeys": [TAG]}),
        ("ec2:CreateTags", ec2("instance"), {}),
        *(("ec2:CreateTags", ec2(kind), EBS_OURS) for kind in ("volume", "vpc", "subnet", "security-group", "launch-template")),
        ("ec2:CreateTags", VOLUME, {"ec2:CreateAction": "RunInstances"}),
        *((f"ec2:{each}Volume", VOLUME, {}) for each in ("Attach", "Detach", "Modify", "Delete", "Create")),
        ("ec2:CreateSnapshot", VOLUME, EBS_NEW),
        ("ec2:CreateSnapshot", SNAPSHOT, {}),
        ("ec2:CreateVolume", SNAPSHOT, EBS_NEW),
        ("cloudwatch:PutMetricData", "*", {"cloudwatch:namespace": "AWS/Billing"}),
        ("ec2:DeleteSnapshot", SNAPSHOT, {}),
        ("ec2:AuthorizeSecurityGroupIngress", ec2("security-group"), {}),
        ("ec2:CreateRoute", ec2("route-table"), {}),
        ("elasticloadbalancing:DeleteLoadBalancer", f"arn:aws:elasticloadbalancing:us-west-2:{ACCOUNT}:loadbalancer/net/hp-a/1", {}),
        ("autoscaling:UpdateAutoScalingGroup", f"arn:aws:autoscaling:us-west-2:{ACCOUNT}:autoScalingGroup:1:autoScalingGroupName/a", {}),
        ("elasticfilesystem:TagResource", f"{EFS}access-point/a", EFS_NEW),
        ("elasticfilesystem:TagResource", f"{EFS}file-system/a", EFS_NEW),
        ("elasticfilesystem:DeleteAccessPoint", f"{EFS}access-point/a", {}),
        ("elasticfilesystem:CreateAccessPoint", f"{EFS}file-system/a", {}),
        ("fsx:DeleteFileSystem", f"arn:aws:fsx:us-west-2:{ACCOUNT}:file-system/fs-1", {}),
        ("s3:GetObject", "arn:aws:s3:::payroll/a", {"aws:ResourceAccount": ACCOUNT}),
        ("s3:PutObject", "arn:aws:s3:::sagemaker-scripts/a", {"aws:ResourceAccount": ACCOUNT}),
        ("logs:PutRetentionPolicy", LOGS, {}),
        ("ssm:GetParameter", f"arn:aws:ssm:us-west-2:{ACCOUNT}:parameter/mlfleet/hyperpod/a", {}),
        ("secretsmanager:GetSecretValue", f"arn:aws:secretsmanager:us-west-2:{ACCOUNT}:secret:mlfleet/hyperpod/a", {}),
        ("eks:AssociateAccessPolicy", ENTRY, {"eks:principalArn": OPERATORS}),
    ],
)
def test_the_boundary_refuses_everything_else(action: str, resource: str, context: Context) -> None:
    assert not may(BY_LIMIT, action, resource, context)
