"""Write roles/*/README.md from meta/argument_specs.yml and the notes of the modules that the role's tasks call.

role_docs.py writes the READMEs; role_docs.py --check lists those that are out of date, and fails if there are any.
"""

from __future__ import annotations

import re
import sys
import typing as t
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
ACTION = re.compile(r"C\(([a-z0-9]+:[A-Z][A-Za-z]+)\)")
TASK = re.compile(r"^\s*(?:- )?((?:mlfleet\.hyperpod|amazon\.aws|community\.aws|kubernetes\.core)\.[a-z0-9_]+):", re.M)
LOOKUP = re.compile(r"lookup\('(amazon\.aws\.[a-z0-9_]+)'")
MARKUP = re.compile(r"\b(?:RV|[CMOVIBP])\(((?:[^)\\]|\\.)*)\)")

# Modules of other collections do not list their actions. These are from the code of amazon.aws 11, for the calls in our roles.
UPSTREAM = {
    "amazon.aws.aws_caller_info": "iam:ListAccountAliases",
    "amazon.aws.cloudwatchlogs_log_group": (
        "logs:CreateLogGroup logs:DeleteLogGroup logs:DescribeLogGroups logs:ListTagsLogGroup logs:PutRetentionPolicy "
        "logs:TagLogGroup"
    ),
    "amazon.aws.cloudwatchlogs_log_group_info": "logs:DescribeLogGroups logs:ListTagsLogGroup",
    "amazon.aws.aws_az_info": "ec2:DescribeAvailabilityZones",
    "amazon.aws.ec2_eip": (
        "ec2:AllocateAddress ec2:CreateTags ec2:DeleteTags ec2:DescribeAddresses ec2:DescribeTags ec2:ReleaseAddress"
    ),
    "amazon.aws.ec2_eip_info": "ec2:DescribeAddresses",
    "amazon.aws.ec2_eni_info": "ec2:DescribeNetworkInterfaces",
    "amazon.aws.ec2_placement_group": (
        "ec2:CreatePlacementGroup ec2:CreateTags ec2:DeletePlacementGroup ec2:DescribePlacementGroups"
    ),
    "amazon.aws.ec2_placement_group_info": "ec2:DescribePlacementGroups",
    "amazon.aws.ec2_security_group": (
        "ec2:AuthorizeSecurityGroupEgress ec2:AuthorizeSecurityGroupIngress ec2:CreateSecurityGroup ec2:CreateTags "
        "ec2:DeleteSecurityGroup ec2:DescribeSecurityGroups ec2:DescribeTags ec2:DescribeVpcs "
        "ec2:RevokeSecurityGroupEgress ec2:RevokeSecurityGroupIngress "
        "ec2:UpdateSecurityGroupRuleDescriptionsEgress ec2:UpdateSecurityGroupRuleDescriptionsIngress"
    ),
    "amazon.aws.ec2_security_group_info": "ec2:DescribeSecurityGroups",
    "amazon.aws.ec2_vpc_endpoint": (
        "ec2:CreateTags ec2:CreateVpcEndpoint ec2:DeleteTags ec2:DeleteVpcEndpoints ec2:DescribeTags ec2:DescribeVpcEndpoints"
    ),
    "amazon.aws.ec2_vpc_endpoint_info": "ec2:DescribeVpcEndpoints",
    "amazon.aws.ec2_vpc_igw": (
        "ec2:AttachInternetGateway ec2:CreateInternetGateway ec2:CreateTags ec2:DeleteInternetGateway ec2:DeleteTags "
        "ec2:DescribeInternetGateways ec2:DescribeTags ec2:DescribeVpcs ec2:DetachInternetGateway"
    ),
    "amazon.aws.ec2_vpc_igw_info": "ec2:DescribeInternetGateways",
    "amazon.aws.ec2_vpc_nat_gateway": (
        "ec2:CreateNatGateway ec2:CreateTags ec2:DeleteNatGateway ec2:DeleteTags ec2:DescribeAddresses ec2:DescribeNatGateways "
        "ec2:DescribeTags"
    ),
    "amazon.aws.ec2_vpc_nat_gateway_info": "ec2:DescribeNatGateways",
    "amazon.aws.ec2_vpc_net": (
        "ec2:CreateTags ec2:CreateVpc ec2:DeleteTags ec2:DeleteVpc ec2:DescribeTags ec2:DescribeVpcAttribute ec2:DescribeVpcs "
        "ec2:ModifyVpcAttribute"
    ),
    "amazon.aws.ec2_vpc_net_info": "ec2:DescribeVpcAttribute ec2:DescribeVpcs",
    "amazon.aws.ec2_vpc_route_table": (
        "ec2:AssociateRouteTable ec2:CreateRoute ec2:CreateRouteTable ec2:CreateTags ec2:DeleteRoute ec2:DeleteRouteTable "
        "ec2:DeleteTags ec2:DescribeInternetGateways ec2:DescribeRouteTables ec2:DescribeSubnets ec2:DescribeTags "
        "ec2:DisassociateRouteTable ec2:ReplaceRoute"
    ),
    "amazon.aws.ec2_vpc_route_table_info": "ec2:DescribeRouteTables",
    "amazon.aws.ec2_vpc_subnet": (
        "ec2:CreateSubnet ec2:CreateTags ec2:DeleteSubnet ec2:DeleteTags ec2:DescribeSubnets ec2:DescribeTags "
        "ec2:ModifySubnetAttribute"
    ),
    "amazon.aws.ec2_vpc_subnet_info": "ec2:DescribeSubnets",
    "amazon.aws.iam_policy": "iam:GetRolePolicy iam:ListRolePolicies iam:PutRolePolicy",
    "amazon.aws.iam_role": (
        "iam:AttachRolePolicy iam:CreateRole iam:GetRole iam:ListAttachedRolePolicies iam:PutRolePermissionsBoundary iam:UpdateRole"
    ),
    "amazon.aws.iam_role_info": "iam:GetRole iam:ListAttachedRolePolicies iam:ListInstanceProfilesForRole iam:ListRolePolicies",
    "amazon.aws.secretsmanager_secret": "secretsmanager:DescribeSecret secretsmanager:GetSecretValue",
    "community.aws.ecs_ecr": (
        "ecr:CreateRepository ecr:DescribeRepositories ecr:GetRepositoryPolicy ecr:PutImageScanningConfiguration"
    ),
    "kubernetes.core.k8s_drain": "",
}
IN_ROLE = {
    ("karpenter", "amazon.aws.iam_role"): (
        "iam:CreateRole iam:DeleteRole iam:DeleteRolePolicy iam:GetRole iam:ListAttachedRolePolicies "
        "iam:ListInstanceProfilesForRole iam:ListRolePolicies iam:PutRolePermissionsBoundary iam:TagRole iam:UpdateRole"
    ),
    ("hyperpod_cluster", "amazon.aws.iam_role"): (
        "iam:AttachRolePolicy iam:CreateRole iam:GetRole iam:ListAttachedRolePolicies iam:PutRolePermissionsBoundary iam:TagRole "
        "iam:UpdateRole"
    ),
    ("training_cluster", "amazon.aws.iam_policy"): "iam:DeleteRolePolicy iam:GetRolePolicy iam:ListRolePolicies iam:PutRolePolicy",
    ("training_cluster", "amazon.aws.iam_role"): (
        "iam:AttachRolePolicy iam:CreateRole iam:DeleteRole iam:DeleteRolePolicy iam:DetachRolePolicy iam:GetRole "
        "iam:ListAttachedRolePolicies iam:ListInstanceProfilesForRole iam:ListRolePolicies iam:PutRolePermissionsBoundary "
        "iam:TagRole iam:UpdateRole"
    ),
}
"""Actions for roles that call a module in another way: without attaching policies, or with tags and removal.

None of these roles replaces a trust policy (``iam:UpdateAssumeRolePolicy``), so existing IAM roles keep their trust policies.
"""
NO_PERMISSION = {"sts:GetCallerIdentity"}  # AWS allows it to every caller


def plain(text: str) -> str:
    """Ansible's markup converted to Markdown."""
    return MARKUP.sub(_code, " ".join(text.split()))


def _code(found: re.Match[str]) -> str:
    """The content of the brackets, without the type of a plugin."""
    name = re.sub(r"\\(.)", r"\1", found[1]).partition("#")[0]
    return f"`{name}`"


def documented_actions(plugin: Path) -> set[str]:
    """IAM actions in a plugin's own documentation."""
    documentation = re.search(r'DOCUMENTATION = r"""(.*?)"""', plugin.read_text(), re.S)
    notes = yaml.safe_load(documentation[1]).get("notes", []) if documentation else []
    return {action for note in notes if note.startswith("IAM actions") for action in ACTION.findall(note)}


def modules(role: Path) -> list[str]:
    """Modules and lookups of amazon.aws, community.aws, kubernetes.core and this collection that the role uses."""
    text = "\n".join(path.read_text() for folder in ("tasks", "vars") for path in sorted((role / folder).rglob("*.yml")))
    return sorted(set(TASK.findall(text)) | set(LOOKUP.findall(text)))


def actions(names: t.Iterable[str], *, role: str = "") -> list[str]:
    found: set[str] = set()
    for name in names:
        if name.startswith("mlfleet."):
            found |= documented_actions(ROOT / "plugins" / "modules" / f"{name.rpartition('.')[2]}.py")
        else:
            found |= set(IN_ROLE.get((role, name), UPSTREAM[name]).split())
    return sorted(found - NO_PERMISSION)


def default(option: dict[str, t.Any]) -> str:
    if "default" not in option:
        return "required" if option.get("required") else "see description"
    value = option["default"]
    text = value if isinstance(value, str) and value else yaml.safe_dump(value, default_flow_style=True).splitlines()[0]
    return f"`{text}`"


def row(name: str, option: dict[str, t.Any]) -> str:
    kind = f"list of {option['elements']}" if option["type"] == "list" else option["type"]
    texts = option["description"] if isinstance(option["description"], list) else [option["description"]]
    if "choices" in option:
        choices = ", ".join("`{}`".format(choice or "''") for choice in option["choices"])
        texts = [*texts, f"One of {choices}."]
    text = plain(" ".join(texts)).replace("|", "\\|")
    return f"| `{name}` | {kind} | {default(option)} | {text} |"


def options(spec: dict[str, t.Any]) -> dict[str, t.Any]:
    """Options of all entries, described by the first entry that has them."""
    found: dict[str, t.Any] = {}
    for entry in spec.values():
        found = {**entry.get("options", {}), **found}
    return {name: found[name] for entry in spec.values() for name in entry.get("options", {})}


def entries(spec: dict[str, t.Any]) -> list[str]:
    """The section about entries for tasks_from."""
    others = [(name, entry) for name, entry in spec.items() if name != "main"]
    if not others:
        return []
    lines = ["## Entries", "", "| `tasks_from` | purpose | variables |", "|---|---|---|"]
    for name, entry in others:
        texts = plain(" ".join([f"{entry['short_description']}.", *entry["description"]]))
        lines.append(f"| `{name}` | {texts} | {', '.join(f'`{each}`' for each in entry.get('options', {}))} |")
    return [*lines, ""]


def readme(role: Path) -> str:
    spec = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    main = spec["main"]
    used = modules(role)
    needed = actions(used, role=role.name)
    lines = [
        "<!-- Written by tools/role_docs.py (make docs). Change meta/argument_specs.yml instead. -->",
        f"# mlfleet.hyperpod.{role.name}",
        "",
        f"{main['short_description']}.",
        "",
        *(f"{plain(text)}\n" for text in main["description"]),
        "[playbooks/parts/login_access.yml](../../playbooks/parts/login_access.yml) shows how the playbooks combine roles.",
        "",
        *entries(spec),
        "## Variables",
        "",
        "| name | type | default | meaning |",
        "|---|---|---|---|",
        *(row(name, option) for name, option in options(spec).items()),
        "",
        "## Modules",
        "",
        ", ".join(f"`{name}`" for name in used),
        "",
        "## IAM actions",
        "",
        ", ".join(f"`{action}`" for action in needed) if needed else "None.",
        "",
        "[docs/reference/iam.md](../../docs/reference/iam.md) has one policy for all roles.",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    stale = []
    for role in sorted(path.parent.parent for path in ROOT.glob("roles/*/meta/argument_specs.yml")):
        path, text = role / "README.md", readme(role)
        if path.exists() and path.read_text() == text:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
    if "--check" in sys.argv[1:]:
        for name in stale:
            print(f"{name} is out of date. Run make docs.")
        return 1 if stale else 0
    print(f"written: {', '.join(stale) or 'nothing, all up to date'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
