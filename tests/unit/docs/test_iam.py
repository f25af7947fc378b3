"""The policies of docs/reference/iam, the modules' notes and the roles' READMEs agree, and the conditions of the policies are effective."""

from __future__ import annotations

import importlib.util
import json
import re
import typing as t
from pathlib import Path

import pytest
from lab.aws.checked import CHECKED
from lab.aws.permissions.asked import Permission
from lab.aws.permissions.policy import allows

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("role_docs", ROOT / "tools" / "role_docs.py")
role_docs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(role_docs)

# Required by AWS for the first balancer or VPN endpoint of an account; the collection does not call it.
ON_BEHALF = {"iam:CreateServiceLinkedRole"}
# The Session Manager plugin calls these with the credentials that started the session.
BY_THE_PLUGIN = {"ssm:StartSession": ("ssm:ResumeSession", "ssmmessages:OpenDataChannel")}
ADDITIONAL = {**CHECKED, **BY_THE_PLUGIN}
# Read actions. Some of them begin neither with Describe nor with List.
READS = re.compile(r":(Describe|List|GetSecurityGroupsForVpc$|GetMetricData$|GetProducts$|GetResources$|GetRole$)")
# Actions that change nothing; those on secrets and profiles return private keys.
READ_ONLY = re.compile(r":(Describe|List|Get|FilterLogEvents$|Export)")
# Sessions with nodes.
SESSIONS = {"ssm:StartSession", "ssm:ResumeSession", "ssm:TerminateSession", "ssmmessages:OpenDataChannel"}

EC2 = "arn:aws:ec2:us-west-2:111111111111"
GROUP, RULE, ENDPOINT = f"{EC2}:security-group/sg-1", f"{EC2}:security-group-rule/sgr-1", f"{EC2}:client-vpn-endpoint/cvpn-1"
SUBNET, VPC = f"{EC2}:subnet/subnet-1", f"{EC2}:vpc/vpc-1"
CERTIFICATE = "arn:aws:acm:us-west-2:111111111111:certificate/1"
CLUSTER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
SESSION = "arn:aws:ssm:us-west-2:111111111111:session/ops-0123456789abcdef0"


def of_resource(**tags: str) -> dict[str, str]:
    return {f"aws:ResourceTag/mlfleet.hyperpod/{key}": value for key, value in tags.items()}


def of_request(**tags: str) -> dict[str, str]:
    return {f"aws:RequestTag/mlfleet.hyperpod/{key}": value for key, value in tags.items()}


def created_by(operation: str) -> dict[str, str]:
    return {"ec2:CreateAction": operation}


BOUNDED = {"iam:PermissionsBoundary": "arn:aws:iam::111111111111:policy/mlfleet-hyperpod-boundary"}
OURS = of_resource(component="login_balancer", cluster=CLUSTER)
OUR_VPN = of_resource(component="client_vpn")


POLICIES = {path.stem: path for path in (ROOT / "docs/reference/iam").glob("*.json")}
CHANGING = ("login-access", "client-vpn", "client-vpn-log")
"""Policies of the role that runs all playbooks, without the read-only policy."""
CLUSTERS, CUSTOM_IMAGE, EXECUTION_ROLE, KARPENTER, EKS = "clusters", "custom-image", "execution-role", "karpenter", "eks"
"""Policies of a role that creates and changes clusters."""
BUILD, NETWORK, ROLES, REMOVE = (f"training-cluster-{part}" for part in ("build", "network", "roles", "remove"))
"""Policies of a role that also creates and removes EKS clusters."""
TRAINING_CLUSTER = (BUILD, NETWORK, ROLES, REMOVE)
IMAGE = "training-image"
"""Policy of a role that builds training images."""
EVENTS, LISTENER = "events", "events-listener"
"""Policies of a role that sets up events, and of the identity of ansible-rulebook."""
MODULES_OF_TRAINING_CLUSTERS = (
    *("device_plugins", "ec2_quota_info", "efa_launch_template", "eks_access_entry", "eks_cluster", "eks_cluster_resource_info"),
    *("eks_node_info", "eks_nodegroup", "eks_nodegroup_info", "eks_version_info"),
    *("kubernetes_drain", "kubernetes_workload_info"),
    *("fsx_lustre_file_system", "fsx_lustre_file_system_info"),
)
UPSTREAM_OF_TRAINING_CLUSTERS = tuple(
    f"amazon.aws.{name}"
    for name in (
        *("aws_az_info", "ec2_eip", "ec2_placement_group", "ec2_security_group", "ec2_vpc_endpoint", "ec2_vpc_igw", "ec2_vpc_nat_gateway"),
        *("ec2_vpc_net", "ec2_vpc_route_table", "ec2_vpc_subnet", "iam_policy", "iam_role", "iam_role_info"),
    )
)
"""Modules of amazon.aws that create and remove the network and the roles of a training cluster."""
REPORT_STORE = ("report-store", "report-store-read")
"""Policies for the bucket of the report store: to add reports, and to read them."""
OFFERINGS = "ec2:DescribeInstanceTypeOfferings"
"""An action of ``instance_type_info`` with zones, which only training clusters need."""
WITHOUT_RESOURCES = {"eks:CreateCluster", "ecr:GetAuthorizationToken"}
"""Actions for which AWS publishes no resource, so that only conditions can limit them."""
BOUNDARY = "boundary"
"""The permissions boundary of roles that the collection creates. It grants nothing by itself."""
GRANTING = tuple(name for name in POLICIES if name != BOUNDARY)
ROLES_OF_CLUSTERS = ("hyperpod_cluster", "karpenter", "maintenance", "remediation", "task_governance")
IN_LOGIN_ACCESS = {
    f"mlfleet.hyperpod.{name}" for name in ("cluster_lock", "cluster_look", "cluster_node_info", "cluster_record")
}
"""Modules that the policy login-access allows."""
FOR_EKS = {
    f"mlfleet.hyperpod.{name}"
    for name in (
        *("accelerator_cron_jobs", "accelerator_jobs", "nccl_jobs", "topology_info", "topology_job", "topology_job_info"),
        *("eks_cluster_info", "eks_node_info", "eks_nodegroup_info", "price_info"),
        *("training_job", "training_lease", "training_node_info"),
    )
}
"""Modules that only EKS clusters need, although roles for Slurm use them as well; the policies for clusters and training clusters
allow them."""
MODULES_OF_CLUSTERS = (
    *("accelerator_cron_jobs", "accelerator_jobs"),
    *("cluster", "cluster_autoscaling", "cluster_nodes", "cluster_software", "cluster_extension", "cluster_health_check"),
    *("cluster_node_volume", "cluster_node_network_interface"),
    *("cluster_event_info", "cluster_operation_info", "cluster_extension_info"),
    *("service_quota", "service_quota_info", "price_info", "training_plan_info", "eks_cluster_info", "eks_nodegroup_info", "eks_requirement_info"),
    *("karpenter_info", "karpenter_proof", "karpenter_requirement_info", "kubernetes_nodes", "kubernetes_objects"),
    *("kueue_topology_scheduling", "named_resource_info", "namespace_pod_security", "nccl_jobs", "topology_info", "topology_job", "topology_job_info"),
    *("cluster_scheduler_config", "cluster_scheduler_config_info", "compute_quota", "compute_quota_info"),
    *("eks_access_entry", "eks_access_entry_info", "eks_addon", "eks_addon_info"),
    *("eks_pod_identity_association", "eks_pod_identity_association_info"),
    *("task_governance_info", "training_job", "training_lease", "training_node_info"),
)


def policy(*names: str) -> list[dict]:
    return [statement for name in names or CHANGING for statement in json.loads(POLICIES[name].read_text())["Statement"]]


def as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def allowed(*names: str) -> set[str]:
    return {action for statement in policy(*names) for action in as_list(statement["Action"])}


def test_the_boundary_allows_what_nodes_need_in_a_vpc() -> None:
    """CreateCluster with a VPC requires AttachClusterNodeNetworkInterface, and a right outside the boundary has no effect."""
    statements = json.loads((ROOT / "roles/hyperpod_cluster/files/vpc.json").read_text())["Statement"]
    actions = {action for statement in statements for action in as_list(statement["Action"])}
    assert "sagemaker:AttachClusterNodeNetworkInterface" in actions
    assert sorted(actions - allowed(BOUNDARY)) == []


def needed() -> set[str]:
    roles = [path.parents[1] for path in ROOT.glob("roles/*/meta/argument_specs.yml")]
    found = {
        action
        for role in roles
        if role.name not in (*ROLES_OF_CLUSTERS, "training_cluster", "events")
        for action in role_docs.actions(set(role_docs.modules(role)) - FOR_EKS)
    }
    found |= role_docs.documented_actions(ROOT / "plugins" / "inventory" / "hyperpod.py")
    return found | {inner for action in found for inner in ADDITIONAL.get(action, ())}


def may(action: str, resource: str, context: t.Mapping[str, str | list[str]], *names: str) -> bool:
    return allows(policy(*names), Permission(action, resource, context))


def test_the_policies_allow_exactly_the_actions_in_the_notes():
    assert needed() - allowed() == set(), "actions of modules that no policy allows"
    assert allowed() - needed() - ON_BEHALF == set(), "actions of policies that no module needs"


def test_the_policies_for_clusters_allow_exactly_the_actions_in_the_notes():
    modules = [ROOT / "plugins" / "modules" / f"{name}.py" for name in MODULES_OF_CLUSTERS]
    named = {action for path in modules for action in role_docs.documented_actions(path)}
    of_roles = {
        action
        for role in ROLES_OF_CLUSTERS
        for action in role_docs.actions(set(role_docs.modules(ROOT / "roles" / role)) - IN_LOGIN_ACCESS, role=role)
    }
    assert named | of_roles == allowed(CLUSTERS, CUSTOM_IMAGE, EXECUTION_ROLE, KARPENTER, EKS)


def test_the_policies_for_training_clusters_add_exactly_the_missing_actions_in_the_notes():
    """The role also has the policies for clusters and EKS."""
    paths = [ROOT / "plugins" / "modules" / f"{name}.py" for name in MODULES_OF_TRAINING_CLUSTERS]
    named = {OFFERINGS, *(action for path in paths for action in role_docs.documented_actions(path))}
    named |= set(role_docs.actions(UPSTREAM_OF_TRAINING_CLUSTERS, role="training_cluster"))
    assert named - allowed(CLUSTERS, EKS, *TRAINING_CLUSTER) == set(), "actions of modules that no policy allows"
    assert allowed(*TRAINING_CLUSTER) - named == set(), "actions of policies that no module needs"


def test_the_policy_for_events_allows_exactly_the_actions_in_the_notes() -> None:
    assert allowed(EVENTS) == set(role_docs.actions(role_docs.modules(ROOT / "roles/events")))


def test_only_rules_for_events_of_sagemaker_and_their_queues_can_be_changed() -> None:
    rule, queue = (f"arn:aws:{service}:us-west-2:111111111111:{name}" for service, name in (("events", "rule/{}"), ("sqs", "{}")))
    ours, other = "mlfleet-hyperpod-events", "production"
    for action in ("events:PutRule", "events:PutTargets", "events:DeleteRule"):
        context = {"events:source": ["aws.sagemaker"], "events:TargetArn": [queue.format(ours)]}
        assert may(action, rule.format(ours), context, EVENTS) and not may(action, rule.format(other), context, EVENTS)
    for context in ({}, {"events:source": ["aws.sagemaker", "aws.iam"]}):
        assert not may("events:PutRule", rule.format(ours), context, EVENTS)
    assert not may("events:PutTargets", rule.format(ours), {"events:TargetArn": [queue.format(ours), queue.format(other)]}, EVENTS)
    for action in ("sqs:SetQueueAttributes", "sqs:DeleteQueue"):
        assert may(action, queue.format(f"{ours}-dead"), {}, EVENTS) and not may(action, queue.format(other), {}, EVENTS)


def test_the_listener_can_only_receive() -> None:
    assert allowed(LISTENER) == {"sqs:GetQueueUrl", "sqs:ReceiveMessage", "sqs:DeleteMessage"}
    queue = "arn:aws:sqs:us-west-2:111111111111:mlfleet-hyperpod-events"
    assert may("sqs:ReceiveMessage", queue, {}, LISTENER) and not may("sqs:ReceiveMessage", f"{queue}-dead", {}, LISTENER)


def test_the_policy_for_images_allows_exactly_the_actions_in_the_note() -> None:
    assert allowed(IMAGE) == set(role_docs.actions(("mlfleet.hyperpod.training_image", "community.aws.ecs_ecr")))


def test_only_repositories_for_training_images_can_be_changed() -> None:
    of_account = "arn:aws:ecr:us-west-2:{}:repository/{}"
    for action in ("ecr:CreateRepository", "ecr:PutImage", "ecr:InitiateLayerUpload", "ecr:UploadLayerPart", "ecr:CompleteLayerUpload"):
        assert may(action, of_account.format("111111111111", "hyperpod-training"), {}, IMAGE)
        assert not may(action, of_account.format("111111111111", "production"), {}, IMAGE)
        assert not may(action, of_account.format("763104351884", "hyperpod-training"), {}, IMAGE)
    for account, expected in (("111111111111", True), ("763104351884", True), ("222222222222", False)):
        assert may("ecr:BatchGetImage", of_account.format(account, "pytorch"), {}, IMAGE) is expected


def test_a_new_eks_cluster_has_no_hidden_administrator():
    creator, build = "eks:bootstrapClusterCreatorAdminPermissions", BUILD
    assert may("eks:CreateCluster", "*", {creator: "false"}, build)
    assert not may("eks:CreateCluster", "*", {creator: "true"}, build) and not may("eks:CreateCluster", "*", {}, build)


@pytest.mark.parametrize(
    ("name", "services"),
    [
        ("hyperpod-eks/ml-us-west-2-cluster", ["eks", "pods.eks"]),
        ("hyperpod-eks/ml-us-west-2-vpc-cni", ["eks", "pods.eks"]),
        ("hyperpod-eks/ml-us-west-2-nodes", ["ec2", "eks", "pods.eks"]),
        *((other, []) for other in ("administrator", "hyperpod-nodes", "mlfleet-login-access", "hyperpod-eks", "hyperpod-eks-nodes", "other/hyperpod-eks/a")),
    ],
)
def test_only_roles_below_the_path_of_training_clusters_can_be_passed(name, services):
    role = f"arn:aws:iam::111111111111:role/{name}"
    found = [
        service
        for service in ("ec2", "eks", "pods.eks", "sagemaker", "lambda")
        if may("iam:PassRole", role, {"iam:PassedToService": f"{service}.amazonaws.com"}, *TRAINING_CLUSTER)
    ]
    assert found == services


def test_only_launch_templates_of_eks_clusters_of_the_account_can_be_changed():
    template, ours = f"{EC2}:launch-template/lt-1", "arn:aws:eks:us-west-2:111111111111:cluster/ml"
    foreign = ({}, of_resource(cluster=CLUSTER), of_resource(cluster=ours.replace("111111111111", "222222222222")))
    for action, name in (("CreateLaunchTemplateVersion", BUILD), ("ModifyLaunchTemplate", BUILD), ("CreateTags", BUILD), ("DeleteLaunchTemplate", BUILD)):
        assert may(f"ec2:{action}", template, of_resource(cluster=ours), name)
        assert not any(may(f"ec2:{action}", template, context, BUILD, REMOVE) for context in foreign)
    assert may("ec2:CreateLaunchTemplate", template, of_request(cluster=ours), BUILD) and not may("ec2:CreateLaunchTemplate", template, {}, BUILD)
    assert may("ec2:CreateTags", template, created_by("CreateLaunchTemplate"), BUILD)


def test_only_node_groups_of_eks_clusters_of_the_account_can_be_removed_without_the_policy_for_removals():
    group, ours = "arn:aws:eks:us-west-2:111111111111:nodegroup/ml/gpu/1", "arn:aws:eks:us-west-2:111111111111:cluster/ml"
    assert may("eks:DeleteNodegroup", group, of_resource(cluster=ours), BUILD) and may("eks:DeleteNodegroup", group, {}, REMOVE)
    for foreign in ({}, of_resource(cluster=CLUSTER), of_request(cluster=ours)):
        assert not may("eks:DeleteNodegroup", group, foreign, CLUSTERS, EKS, BUILD)


def test_only_file_systems_with_our_tag_can_be_changed_and_removed():
    ours, new = of_resource(component="file_system"), of_request(component="file_system")
    file_system, backup = (f"arn:aws:fsx:us-west-2:111111111111:{kind}" for kind in ("file-system/fs-1", "backup/backup-1"))
    for action in ("fsx:UpdateFileSystem", "fsx:UntagResource", "fsx:DeleteFileSystem", "fsx:CreateBackup"):
        assert may(action, file_system, ours, *TRAINING_CLUSTER)
        assert not may(action, file_system, of_resource(component="else"), *TRAINING_CLUSTER)
    assert may("fsx:CreateFileSystem", file_system, new, *TRAINING_CLUSTER) and not may("fsx:CreateFileSystem", file_system, {}, *TRAINING_CLUSTER)
    assert may("fsx:CreateBackup", backup, new, *TRAINING_CLUSTER) and not may("fsx:CreateBackup", backup, {}, *TRAINING_CLUSTER)
    assert not may("fsx:DeleteFileSystem", file_system, ours, "training-cluster-build")


def test_only_the_policy_of_nodes_can_be_attached_to_their_role():
    role, policy_of_nodes = "arn:aws:iam::111111111111:role/hyperpod-nodes", "arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"
    attaching = ("iam:AttachRolePolicy", role)
    assert may(*attaching, {"iam:PolicyARN": policy_of_nodes, **BOUNDED}, EXECUTION_ROLE)
    assert not may(*attaching, {"iam:PolicyARN": policy_of_nodes}, EXECUTION_ROLE)
    assert not may(*attaching, {"iam:PolicyARN": "arn:aws:iam::aws:policy/AdministratorAccess", **BOUNDED}, EXECUTION_ROLE)


@pytest.mark.parametrize(
    ("name", "role"),
    [(EXECUTION_ROLE, "hyperpod-nodes"), (KARPENTER, "hyperpod-karpenter-abc123def456"), (ROLES, "hyperpod-eks/ml-us-west-2-nodes")],
)
@pytest.mark.parametrize("action", ["iam:CreateRole", "iam:PutRolePermissionsBoundary", "iam:PutRolePolicy"])
def test_roles_can_be_created_and_changed_only_with_the_boundary(name, role, action):
    arn = f"arn:aws:iam::111111111111:role/{role}"
    assert may(action, arn, BOUNDED, name)
    assert not may(action, arn, {}, name)
    assert not may(action, arn, {"iam:PermissionsBoundary": "arn:aws:iam::111111111111:policy/other"}, name)
    assert not may(action, "arn:aws:iam::111111111111:role/hyperpod-login-access", BOUNDED, name)


def test_roles_can_be_passed_to_sagemaker_only():
    role, passed = "arn:aws:iam::111111111111:role/hyperpod-nodes", {"iam:PassedToService": "sagemaker.amazonaws.com"}
    assert may("iam:PassRole", role, passed, CLUSTERS)
    assert not may("iam:PassRole", role, {"iam:PassedToService": "ec2.amazonaws.com"}, CLUSTERS)
    for other in ("administrator", "hyperpod-login-access", "mlfleet-login-access"):
        assert not may("iam:PassRole", f"arn:aws:iam::111111111111:role/{other}", passed, CLUSTERS)


def test_buckets_of_other_accounts_cannot_be_read_or_written():
    own, foreign = ({"aws:ResourceAccount": account} for account in ("111111111111", "222222222222"))
    for name, actions in ((CLUSTERS, ("Get", "Put")), ("login-access", ("Get",)), ("read-only", ("Get",))):
        for request in (("s3:ListBucket", "arn:aws:s3:::sagemaker-x"), *((f"s3:{each}Object", "arn:aws:s3:::sagemaker-x/a") for each in actions)):
            assert may(*request, own, name) and not may(*request, foreign, name)


def test_roles_can_be_passed_to_pods_only():
    role, passed = "arn:aws:iam::111111111111:role/hyperpod-pods-research", {"iam:PassedToService": "pods.eks.amazonaws.com"}
    assert may("iam:PassRole", role, passed, EKS)
    assert not may("iam:PassRole", role, {"iam:PassedToService": "ec2.amazonaws.com"}, EKS)
    for other in ("administrator", "hyperpod-nodes", "hyperpod-login-access"):
        assert not may("iam:PassRole", f"arn:aws:iam::111111111111:role/{other}", passed, EKS)


def test_the_policies_allow_the_additional_actions_that_aws_requires():
    assert set(ADDITIONAL) <= allowed()
    required = {inner for inners in ADDITIONAL.values() for inner in inners}
    assert required - allowed() == set()


@pytest.mark.parametrize("action", CHECKED)
def test_notes_of_modules_name_the_additional_actions_of_elastic_load_balancing(action):
    callers = [path for path in (ROOT / "plugins" / "modules").glob("*.py") if action in role_docs.documented_actions(path)]
    assert callers
    for path in callers:
        assert set(CHECKED[action]) - role_docs.documented_actions(path) == set(), path.name


def test_each_file_fits_into_a_managed_policy():
    others = {CLUSTERS, CUSTOM_IMAGE, EXECUTION_ROLE, KARPENTER, EKS, IMAGE, EVENTS, LISTENER, BOUNDARY, "read-only", "rollout"}
    assert set(POLICIES) == {*CHANGING, *TRAINING_CLUSTER, *REPORT_STORE, *others}
    for path in POLICIES.values():
        assert json.loads(path.read_text())["Version"] == "2012-10-17"
        assert len(re.sub(r"\s", "", path.read_text())) <= 6144


def test_the_page_names_each_file_and_only_existing_statements():
    page = (ROOT / "docs/reference/iam.md").read_text()
    assert [name for name in POLICIES if f"(iam/{name}.json)" not in page] == []
    statements = {statement["Sid"] for statement in policy(*POLICIES)}
    pages = [page, *(path.read_text() for path in (ROOT / "docs/reference").glob("*.md"))]
    verbs = "Find|Reach|Use|Keep|Read|First|Make|Tag|Remove|Join|Restore"
    named = {name for text in pages for name in re.findall(rf"`((?:{verbs})[A-Z][A-Za-z]+)`", text)}
    assert len(named) > 5
    assert named - statements == set()


def test_the_read_only_policy_has_exactly_the_read_actions():
    read = {action for action in allowed(*CHANGING, CLUSTERS, EXECUTION_ROLE, KARPENTER, EKS, EVENTS) if READ_ONLY.search(action)}
    assert allowed("read-only") == read | SESSIONS


def test_the_read_only_policy_allows_no_shell_of_root():
    """Without a document AWS starts the default one, a shell, and checks the right to it only with the condition."""
    shell = "arn:aws:ssm:us-west-2:111111111111:document/SSM-SessionManagerRunShell"
    assert may("ssm:StartSession", shell, {}) and not may("ssm:StartSession", shell, {}, "read-only")
    assert may("ssm:StartSession", CLUSTER, {"ssm:SessionDocumentAccessCheck": "true"}, "read-only")
    assert not may("ssm:StartSession", CLUSTER, {"ssm:SessionDocumentAccessCheck": "false"}, "read-only")


def test_no_action_is_a_wildcard_and_no_write_action_is_for_all_resources():
    for statement in policy(*GRANTING):
        assert not [action for action in as_list(statement["Action"]) if "*" in action]
        if "*" in as_list(statement["Resource"]):
            writing = [action for action in as_list(statement["Action"]) if not READS.search(action) and action not in WITHOUT_RESOURCES]
            assert writing == [], f"{statement['Sid']}: {writing} on all resources"


@pytest.mark.parametrize(
    ("action", "resource", "context"),
    [
        ("ssm:StartSession", CLUSTER, {}),
        ("ssm:StartSession", "arn:aws:ssm:us-west-2:111111111111:managed-instance/sagemaker-cluster:abc_login-i-1", {}),
        ("ssm:ResumeSession", SESSION, {}),
        ("ssmmessages:OpenDataChannel", SESSION, {}),
        ("ec2:GetSecurityGroupsForVpc", VPC, {}),
        ("ec2:CreateTags", GROUP, created_by("CreateSecurityGroup")),
        ("ec2:CreateTags", RULE, created_by("AuthorizeSecurityGroupIngress")),
        ("ec2:CreateTags", RULE, created_by("AuthorizeSecurityGroupEgress")),
        ("ec2:CreateTags", GROUP, OURS),
        ("ec2:CreateTags", RULE, of_resource(cluster=CLUSTER)),
        ("ec2:CreateTags", GROUP, OUR_VPN),
        ("ec2:DeleteSecurityGroup", GROUP, OURS),
        ("ec2:DeleteSecurityGroup", GROUP, OUR_VPN),
        ("ec2:CreateClientVpnEndpoint", ENDPOINT, of_request(component="client_vpn")),
        ("ec2:CreateClientVpnEndpoint", GROUP, OUR_VPN),
        ("ec2:CreateClientVpnEndpoint", VPC, {}),
        ("ec2:CreateTags", ENDPOINT, created_by("CreateClientVpnEndpoint")),
        ("ec2:CreateTags", ENDPOINT, OUR_VPN),
        ("ec2:AssociateClientVpnTargetNetwork", ENDPOINT, OUR_VPN),
        ("ec2:AssociateClientVpnTargetNetwork", SUBNET, {}),
        ("ec2:ApplySecurityGroupsToClientVpnTargetNetwork", GROUP, {}),
        ("ec2:CreateClientVpnRoute", SUBNET, {}),
        ("ec2:DeleteClientVpnRoute", SUBNET, {}),
        ("ec2:ModifyClientVpnEndpoint", VPC, {}),
        ("ec2:DeleteClientVpnEndpoint", ENDPOINT, OUR_VPN),
        ("acm:ImportCertificate", CERTIFICATE, of_request(component="client_vpn")),
        ("acm:AddTagsToCertificate", CERTIFICATE, of_request(component="client_vpn")),
        ("acm:ImportCertificate", CERTIFICATE, OUR_VPN),
        ("acm:DeleteCertificate", CERTIFICATE, OUR_VPN),
        ("acm:ListTagsForCertificate", CERTIFICATE, {}),
    ],
)
def test_the_requests_of_runs_are_allowed(action, resource, context):
    assert may(action, resource, context)


@pytest.mark.parametrize(
    ("action", "resource", "context"),
    [
        ("ec2:CreateTags", GROUP, {}),
        ("ec2:CreateTags", GROUP, of_request(component="login_balancer", cluster=CLUSTER)),
        ("ec2:CreateTags", GROUP, of_request(component="client_vpn")),
        ("ec2:CreateTags", RULE, {}),
        ("ec2:CreateTags", ENDPOINT, {}),
        ("ec2:CreateTags", GROUP, created_by("RunInstances")),
        ("ec2:CreateTags", SUBNET, {}),
        ("ec2:CreateTags", VPC, {}),
        ("ec2:DeleteTags", GROUP, {}),
        ("ec2:DeleteTags", ENDPOINT, {}),
        ("ec2:DeleteSecurityGroup", GROUP, {}),
        ("ec2:DeleteSecurityGroup", GROUP, of_resource(component="else")),
        ("ec2:CreateClientVpnEndpoint", ENDPOINT, {}),
        ("ec2:ModifyClientVpnEndpoint", ENDPOINT, {}),
        ("ec2:DeleteClientVpnEndpoint", ENDPOINT, {}),
        ("ec2:ExportClientVpnClientConfiguration", ENDPOINT, {}),
        ("ec2:TerminateClientVpnConnections", ENDPOINT, of_resource(component="else")),
        ("acm:ImportCertificate", CERTIFICATE, {}),
        ("acm:DeleteCertificate", CERTIFICATE, {}),
        ("acm:AddTagsToCertificate", CERTIFICATE, {}),
    ],
)
def test_foreign_resources_cannot_be_changed(action, resource, context):
    assert not may(action, resource, context)


def test_every_aws_module_names_its_actions():
    names = re.findall(r"^    - ([a-z_]+)$", (ROOT / "meta" / "runtime.yml").read_text(), re.M)
    assert "node_access" in names
    for name in names:
        assert role_docs.documented_actions(ROOT / "plugins" / "modules" / f"{name}.py"), name
