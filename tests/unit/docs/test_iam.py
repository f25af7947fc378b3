"""The policies of docs/reference/iam, the modules' notes and the roles' READMEs say the same, and their conditions hold something."""

from __future__ import annotations

import importlib.util
import json
import re
import typing as t
from pathlib import Path

import pytest
from lab.aws.checked import CHECKED
from lab.aws.permissions.asked import Ask
from lab.aws.permissions.policy import allows

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("role_docs", ROOT / "tools" / "role_docs.py")
role_docs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(role_docs)

# Asked by AWS of who creates the first balancer or VPN endpoint of an account; no call of ours.
ON_BEHALF = {"iam:CreateServiceLinkedRole"}
# The Session Manager plugin calls these with the credentials that started the session.
BY_THE_PLUGIN = {"ssm:StartSession": ("ssm:ResumeSession", "ssmmessages:OpenDataChannel")}
ON_TOP = {**CHECKED, **BY_THE_PLUGIN}
# A read in all but its name, and on a VPC, which is somebody else's.
READS = re.compile(r":(Describe|List|GetSecurityGroupsForVpc$|GetProducts$)")
# All that changes nothing; of secrets and profiles it tells private keys.
LOOKS = re.compile(r":(Describe|List|Get|FilterLogEvents$|Export)")
# Read for a cluster's definition alone, which the policies of CHANGING do not allow.
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
"""Those of the role that runs all playbooks; another one is for a role that only looks."""
CLUSTERS, CUSTOM_IMAGE, EXECUTION_ROLE, KARPENTER, EKS = "clusters", "custom-image", "execution-role", "karpenter", "eks"
"""Those of a role that makes and changes clusters."""
BOUNDARY = "boundary"
"""It allows nothing by itself: the permissions boundary of roles that the collection makes."""
GRANTING = tuple(name for name in POLICIES if name != BOUNDARY)
ROLES_OF_CLUSTERS = ("hyperpod_cluster", "karpenter", "maintenance", "remediation", "task_governance")
OF_THE_FIRST = {
    f"mlfleet.hyperpod.{name}" for name in ("cluster_lock", "cluster_look", "cluster_node_info", "cluster_record")
}
"""Modules that the first policy allows."""
OF_KUBERNETES = {
    f"mlfleet.hyperpod.{name}"
    for name in (
        *("accelerator_cron_jobs", "accelerator_jobs", "nccl_jobs", "topology_info", "topology_job", "topology_job_info"),
        *("price_info", "training_job", "training_node_info"),
    )
}
"""Modules of a role for clusters with Slurm, too, that only ones with EKS need; the policy for clusters allows them."""
MODULES_OF_CLUSTERS = (
    *("accelerator_cron_jobs", "accelerator_jobs"),
    *("cluster", "cluster_autoscaling", "cluster_nodes", "cluster_software", "cluster_extension", "cluster_health_check"),
    *("cluster_node_volume", "cluster_node_network_interface"),
    *("cluster_event_info", "cluster_operation_info", "cluster_extension_info"),
    *("service_quota", "service_quota_info", "price_info", "training_plan_info", "eks_cluster_info", "eks_requirement_info"),
    *("karpenter_info", "karpenter_proof", "karpenter_requirement_info", "kubernetes_nodes", "kubernetes_objects"),
    *("kueue_topology_scheduling", "named_resource_info", "namespace_pod_security", "nccl_jobs", "topology_info", "topology_job", "topology_job_info"),
    *("cluster_scheduler_config", "cluster_scheduler_config_info", "compute_quota", "compute_quota_info"),
    *("eks_access_entry", "eks_access_entry_info", "eks_addon", "eks_addon_info"),
    *("eks_pod_identity_association", "eks_pod_identity_association_info"),
    *("task_governance_info", "training_job", "training_node_info"),
)


def policy(*names: str) -> list[dict]:
    return [statement for name in names or CHANGING for statement in json.loads(POLICIES[name].read_text())["Statement"]]


def as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def allowed(*names: str) -> set[str]:
    return {action for statement in policy(*names) for action in as_list(statement["Action"])}


def test_what_nodes_need_in_a_vpc_is_within_their_boundary() -> None:
    """CreateCluster with a VPC is refused without AttachClusterNodeNetworkInterface; beyond the boundary a right is of no use."""
    statements = json.loads((ROOT / "roles/hyperpod_cluster/files/vpc.json").read_text())["Statement"]
    actions = {action for statement in statements for action in as_list(statement["Action"])}
    assert "sagemaker:AttachClusterNodeNetworkInterface" in actions
    assert sorted(actions - allowed(BOUNDARY)) == []


def needed() -> set[str]:
    roles = [path.parents[1] for path in ROOT.glob("roles/*/meta/argument_specs.yml")]
    found = {
        action
        for role in roles
        if role.name not in ROLES_OF_CLUSTERS
        for action in role_docs.actions(set(role_docs.modules(role)) - OF_KUBERNETES)
    }
    found |= role_docs.documented_actions(ROOT / "plugins" / "inventory" / "hyperpod.py")
    return found | {inner for action in found for inner in ON_TOP.get(action, ())}


def may(action: str, resource: str, context: t.Mapping[str, str | list[str]], *names: str) -> bool:
    return allows(policy(*names), Ask(action, resource, context))


def test_the_policy_allows_what_the_notes_name_and_nothing_else():
    assert needed() - allowed() == set(), "named by a module, in no policy"
    assert allowed() - needed() - ON_BEHALF == set(), "in a policy, named by no module"


def test_the_policy_for_clusters_allows_what_the_notes_name_and_nothing_else():
    modules = [ROOT / "plugins" / "modules" / f"{name}.py" for name in MODULES_OF_CLUSTERS]
    named = {action for path in modules for action in role_docs.documented_actions(path)}
    of_roles = {
        action
        for role in ROLES_OF_CLUSTERS
        for action in role_docs.actions(set(role_docs.modules(ROOT / "roles" / role)) - OF_THE_FIRST, role=role)
    }
    assert named | of_roles == allowed(CLUSTERS, CUSTOM_IMAGE, EXECUTION_ROLE, KARPENTER, EKS)


def test_the_role_of_nodes_gets_no_policy_but_theirs():
    role, theirs = "arn:aws:iam::111111111111:role/hyperpod-nodes", "arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"
    attaching = ("iam:AttachRolePolicy", role)
    assert may(*attaching, {"iam:PolicyARN": theirs, **BOUNDED}, EXECUTION_ROLE)
    assert not may(*attaching, {"iam:PolicyARN": theirs}, EXECUTION_ROLE)
    assert not may(*attaching, {"iam:PolicyARN": "arn:aws:iam::aws:policy/AdministratorAccess", **BOUNDED}, EXECUTION_ROLE)


@pytest.mark.parametrize(("name", "role"), [(EXECUTION_ROLE, "hyperpod-nodes"), (KARPENTER, "hyperpod-karpenter-abc123def456")])
@pytest.mark.parametrize("action", ["iam:CreateRole", "iam:PutRolePermissionsBoundary", "iam:PutRolePolicy"])
def test_roles_are_made_and_written_within_the_boundary_alone(name, role, action):
    of_role = f"arn:aws:iam::111111111111:role/{role}"
    assert may(action, of_role, BOUNDED, name)
    assert not may(action, of_role, {}, name)
    assert not may(action, of_role, {"iam:PermissionsBoundary": "arn:aws:iam::111111111111:policy/other"}, name)
    assert not may(action, "arn:aws:iam::111111111111:role/hyperpod-login-access", BOUNDED, name)


def test_roles_are_passed_to_sagemaker_alone():
    role, passed = "arn:aws:iam::111111111111:role/hyperpod-nodes", {"iam:PassedToService": "sagemaker.amazonaws.com"}
    assert may("iam:PassRole", role, passed, CLUSTERS)
    assert not may("iam:PassRole", role, {"iam:PassedToService": "ec2.amazonaws.com"}, CLUSTERS)
    for other in ("administrator", "hyperpod-login-access", "mlfleet-login-access"):
        assert not may("iam:PassRole", f"arn:aws:iam::111111111111:role/{other}", passed, CLUSTERS)


def test_buckets_of_other_accounts_are_neither_read_nor_written():
    ours, theirs = ({"aws:ResourceAccount": account} for account in ("111111111111", "222222222222"))
    for name, actions in ((CLUSTERS, ("Get", "Put")), ("login-access", ("Get",)), ("read-only", ("Get",))):
        for asked in (("s3:ListBucket", "arn:aws:s3:::sagemaker-x"), *((f"s3:{each}Object", "arn:aws:s3:::sagemaker-x/a") for each in actions)):
            assert may(*asked, ours, name) and not may(*asked, theirs, name)


def test_roles_are_passed_to_pods_alone():
    role, passed = "arn:aws:iam::111111111111:role/hyperpod-pods-research", {"iam:PassedToService": "pods.eks.amazonaws.com"}
    assert may("iam:PassRole", role, passed, EKS)
    assert not may("iam:PassRole", role, {"iam:PassedToService": "ec2.amazonaws.com"}, EKS)
    for other in ("administrator", "hyperpod-nodes", "hyperpod-login-access"):
        assert not may("iam:PassRole", f"arn:aws:iam::111111111111:role/{other}", passed, EKS)


def test_the_policy_allows_what_aws_asks_for_on_top():
    assert set(ON_TOP) <= allowed()
    asked = {inner for inners in ON_TOP.values() for inner in inners}
    assert asked - allowed() == set()


@pytest.mark.parametrize("action", CHECKED)
def test_notes_of_modules_name_what_elastic_load_balancing_asks_for(action):
    callers = [path for path in (ROOT / "plugins" / "modules").glob("*.py") if action in role_docs.documented_actions(path)]
    assert callers
    for path in callers:
        assert set(CHECKED[action]) - role_docs.documented_actions(path) == set(), path.name


def test_each_file_fits_into_a_managed_policy():
    assert set(POLICIES) == {*CHANGING, CLUSTERS, CUSTOM_IMAGE, EXECUTION_ROLE, KARPENTER, EKS, BOUNDARY, "read-only"}
    for path in POLICIES.values():
        assert json.loads(path.read_text())["Version"] == "2012-10-17"
        assert len(re.sub(r"\s", "", path.read_text())) <= 6144


def test_the_page_names_each_file_and_each_statement_it_names_is_there():
    page = (ROOT / "docs/reference/iam.md").read_text()
    assert [name for name in POLICIES if f"(iam/{name}.json)" not in page] == []
    statements = {statement["Sid"] for statement in policy(*POLICIES)}
    pages = [page, *(path.read_text() for path in (ROOT / "docs/reference").glob("*.md"))]
    verbs = "Find|Reach|Use|Keep|Read|First|Make|Tag|Remove|Join|Restore"
    named = {name for text in pages for name in re.findall(rf"`((?:{verbs})[A-Z][A-Za-z]+)`", text)}
    assert len(named) > 5
    assert named - statements == set()


def test_who_only_looks_has_all_that_is_read_and_nothing_that_changes():
    read = {action for action in allowed(*CHANGING, CLUSTERS, EXECUTION_ROLE, KARPENTER, EKS) if LOOKS.search(action)}
    assert allowed("read-only") == read | SESSIONS


def test_who_only_looks_has_no_shell_of_root():
    """Without a document AWS starts the default one, which is a shell, and asks for it only where the condition says so."""
    shell = "arn:aws:ssm:us-west-2:111111111111:document/SSM-SessionManagerRunShell"
    assert may("ssm:StartSession", shell, {}) and not may("ssm:StartSession", shell, {}, "read-only")
    assert may("ssm:StartSession", CLUSTER, {"ssm:SessionDocumentAccessCheck": "true"}, "read-only")
    assert not may("ssm:StartSession", CLUSTER, {"ssm:SessionDocumentAccessCheck": "false"}, "read-only")


def test_no_wildcard_action_and_no_writing_everywhere():
    for statement in policy(*GRANTING):
        assert not [action for action in as_list(statement["Action"]) if "*" in action]
        if "*" in as_list(statement["Resource"]):
            writing = [action for action in as_list(statement["Action"]) if not READS.search(action)]
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
def test_what_a_run_does_is_allowed(action, resource, context):
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
def test_what_is_somebody_elses_is_out_of_reach(action, resource, context):
    assert not may(action, resource, context)


def test_every_aws_module_names_its_actions():
    names = re.findall(r"^    - ([a-z_]+)$", (ROOT / "meta" / "runtime.yml").read_text(), re.M)
    assert "node_access" in names
    for name in names:
        assert role_docs.documented_actions(ROOT / "plugins" / "modules" / f"{name}.py"), name
