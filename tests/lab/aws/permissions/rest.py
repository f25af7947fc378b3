# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions for requests with method and path: those of EKS and S3 that playbooks make."""

from __future__ import annotations

import re
import typing as t

from . import found
from .ec2 import launch
from .forms import Triple
from .sagemaker import for_service_role

if t.TYPE_CHECKING:
    from ..request import Call

BUCKET, OBJECT = r"/(?P<bucket>[^/]+)/?", r"/(?P<bucket>[^/]+)/(?P<key>.+)"
EKS, S3 = "arn:aws:eks:{region}:{account}:", "arn:aws:s3:::"
CLUSTER = r"/clusters/(?P<name>[^/]+)"
ENTRY = rf"{CLUSTER}/access-entries/arn:[^:]+:iam::(?P<owner>\d+):(?P<kind>[^/]+)/(?P<who>.+?)"
ADDON, IDENTITY = rf"{CLUSTER}/addons/(?P<addon>[^/]+)", rf"{CLUSTER}/pod-identity-associations/(?P<id>[^/]+)"
OF_CLUSTER, OF_ADDON = f"{EKS}cluster/{{name}}", f"{EKS}addon/{{name}}/{{addon}}/1"
GROUP, OF_GROUP = rf"{CLUSTER}/node-groups/(?P<group>[^/]+)", f"{EKS}nodegroup/{{name}}/{{group}}/1"
PROFILE, OF_PROFILE = rf"{CLUSTER}/fargate-profiles/(?P<profile>[^/]+)", f"{EKS}fargateprofile/{{name}}/{{profile}}/1"
OF_ENTRY, OF_IDENTITY = f"{EKS}access-entry/{{name}}/{{kind}}/{{owner}}/{{who}}/1", f"{EKS}podidentityassociation/{{name}}/{{id}}"
OF_EKS = (
    ("POST", r"/clusters", "CreateCluster", "*"),
    ("GET", r"/clusters", "ListClusters", "*"),
    ("GET", CLUSTER, "DescribeCluster", OF_CLUSTER),
    ("DELETE", CLUSTER, "DeleteCluster", OF_CLUSTER),
    ("POST", rf"{CLUSTER}/update-config", "UpdateClusterConfig", OF_CLUSTER),
    ("POST", rf"{CLUSTER}/updates", "UpdateClusterVersion", OF_CLUSTER),
    ("GET", rf"{CLUSTER}/updates", "ListUpdates", OF_CLUSTER),
    ("POST", rf"{CLUSTER}/encryption-config/associate", "AssociateEncryptionConfig", OF_CLUSTER),
    ("POST", rf"{CLUSTER}/insights", "ListInsights", OF_CLUSTER),
    ("GET", rf"{CLUSTER}/node-groups", "ListNodegroups", OF_CLUSTER),
    ("GET", rf"{CLUSTER}/fargate-profiles", "ListFargateProfiles", OF_CLUSTER),
    ("GET", PROFILE, "DescribeFargateProfile", OF_PROFILE),
    ("GET", r"/cluster-versions", "DescribeClusterVersions", "*"),
    ("GET", rf"{CLUSTER}/addons", "ListAddons", OF_CLUSTER),
    ("POST", rf"{CLUSTER}/addons", "CreateAddon", OF_CLUSTER),
    ("GET", r"/addons/supported-versions", "DescribeAddonVersions", "*"),
    ("GET", r"/addons/configuration-schemas", "DescribeAddonConfiguration", "*"),
    ("GET", ADDON, "DescribeAddon", OF_ADDON),
    ("POST", rf"{ADDON}/update", "UpdateAddon", OF_ADDON),
    ("DELETE", ADDON, "DeleteAddon", OF_ADDON),
    ("GET", rf"{CLUSTER}/updates/[^/]+", "DescribeUpdate", OF_CLUSTER),
    ("POST", rf"{CLUSTER}/node-groups", "CreateNodegroup", OF_CLUSTER),
    ("GET", GROUP, "DescribeNodegroup", OF_GROUP),
    ("POST", rf"{GROUP}/update-config", "UpdateNodegroupConfig", OF_GROUP),
    ("POST", rf"{GROUP}/update-version", "UpdateNodegroupVersion", OF_GROUP),
    ("DELETE", GROUP, "DeleteNodegroup", OF_GROUP),
    ("GET", rf"{CLUSTER}/access-entries", "ListAccessEntries", OF_CLUSTER),
    ("POST", rf"{CLUSTER}/access-entries", "CreateAccessEntry", OF_CLUSTER),
    ("GET", rf"{ENTRY}/access-policies", "ListAssociatedAccessPolicies", OF_ENTRY),
    ("POST", rf"{ENTRY}/access-policies", "AssociateAccessPolicy", OF_ENTRY),
    ("DELETE", rf"{ENTRY}/access-policies/.+", "DisassociateAccessPolicy", OF_ENTRY),
    ("GET", ENTRY, "DescribeAccessEntry", OF_ENTRY),
    ("POST", ENTRY, "UpdateAccessEntry", OF_ENTRY),
    ("DELETE", ENTRY, "DeleteAccessEntry", OF_ENTRY),
    ("GET", rf"{CLUSTER}/pod-identity-associations", "ListPodIdentityAssociations", OF_CLUSTER),
    ("POST", rf"{CLUSTER}/pod-identity-associations", "CreatePodIdentityAssociation", OF_CLUSTER),
    ("GET", IDENTITY, "DescribePodIdentityAssociation", OF_IDENTITY),
    ("POST", IDENTITY, "UpdatePodIdentityAssociation", OF_IDENTITY),
    ("DELETE", IDENTITY, "DeletePodIdentityAssociation", OF_IDENTITY),
    ("POST", r"/tags/(?P<arn>.+)", "TagResource", "{arn}"),
    ("DELETE", r"/tags/(?P<arn>.+)", "UntagResource", "{arn}"),
)
"""Method, path, operation, ARN of the resource."""
UPDATED = {"addonName": f"{EKS}addon/{{name}}/any/1", "nodegroupName": f"{EKS}nodegroup/{{name}}/any/1"}
"""Resources of DescribeUpdate other than the cluster, by the parameter in the query."""
KNOWN = (
    *(("eks", method, path, "", f"eks:{operation}", arn) for method, path, operation, arn in OF_EKS),
    ("s3", "GET|HEAD", BUCKET, "", "s3:ListBucket", f"{S3}{{bucket}}"),
    ("s3", "GET", BUCKET, "ownershipControls", "s3:GetBucketOwnershipControls", f"{S3}{{bucket}}"),
    ("s3", "GET|HEAD", OBJECT, "", "s3:GetObject", f"{S3}{{bucket}}/{{key}}"),
    ("s3", "GET", OBJECT, "tagging", "s3:GetObjectTagging", f"{S3}{{bucket}}/{{key}}"),
    ("s3", "PUT", OBJECT, "", "s3:PutObject", f"{S3}{{bucket}}/{{key}}"),
)
"""Service, method, path, sub-resource, action, ARN of the resource."""
SUBRESOURCES = ("acl", "ownershipControls", "tagging", "policy", "location", "versioning", "encryption")


def required(call: Call) -> list[Triple]:
    """Actions, resources and contexts. An unknown request requires an action of its own name, which no policy allows."""
    action, arn, names = _itself(call)
    return [(action, arn, _context(call, action, names)), *_of_identities(call, action, arn), *_of_roles(call, action)]


def _context(call: Call, action: str, names: dict[str, str]) -> dict[str, str | list[str]]:
    """The context: for buckets their account, for EKS the tags of the request and of the resource, for access entries fields of the
    request and the type of the entry, for new clusters whether their creator becomes an administrator.
    """
    if call.service == "s3":
        return {"aws:ResourceAccount": found.owner_of_bucket(call, names["bucket"])} if "bucket" in names else {}
    requested = {f"aws:RequestTag/{key}": value for key, value in (call.params.get("tags") or {}).items()}
    tags = {**requested, **(found.tags_in_eks(call, names) if call.service == "eks" else {})}
    if action == "eks:CreateCluster":
        creator = (call.params.get("accessConfig") or {}).get("bootstrapClusterCreatorAdminPermissions", True)
        return {**tags, "eks:bootstrapClusterCreatorAdminPermissions": str(creator).lower()}
    return {**tags, **_of_entry(call, action, names)} if action.endswith(("AccessEntry", "AccessPolicy")) else dict(tags)


def _of_entry(call: Call, action: str, names: dict[str, str]) -> dict[str, str | list[str]]:
    params, scope = call.params, call.params.get("accessScope") or {}
    principal = params.get("principalArn") or f"arn:aws:iam::{names['owner']}:{names['kind']}/{names['who']}"
    kind = params.get("type") or ("STANDARD" if action.endswith("CreateAccessEntry") else found.type_of_entry(call, names["name"], principal))
    given = {
        "eks:principalArn": principal,
        "eks:accessEntryType": kind,
        "eks:kubernetesGroups": params.get("kubernetesGroups"),
        "eks:username": params.get("username"),
        "eks:policyArn": params.get("policyArn"),
        "eks:accessScope": scope.get("type"),
        "eks:namespaces": scope.get("namespaces"),
    }
    return {key: value for key, value in given.items() if value}


def _of_identities(call: Call, action: str, arn: str) -> list[Triple]:
    """Permissions to give pods a role: to pass it, and for add-ons the same action on their associations."""
    inline = call.params.get("podIdentityAssociations") or []
    given = [*inline, *([call.params] if action.endswith("PodIdentityAssociation") and "roleArn" in call.params else [])]
    name = arn.split("/")[1] if inline else ""
    associations = [(action, f"{EKS.format(region=call.region, account=call.account)}podidentityassociation/{name}/1", {})] if inline else []
    roles = sorted({each["roleArn"] for each in given})
    return [*associations, *(("iam:PassRole", role, {"iam:PassedToService": "pods.eks.amazonaws.com"}) for role in roles)]


def _of_roles(call: Call, action: str) -> list[Triple]:
    """The permissions to give a new cluster or its nodes a role, to create EKS's own role, and to start nodes from a launch template."""
    option, service = {"eks:CreateCluster": ("roleArn", "eks"), "eks:CreateNodegroup": ("nodeRole", "eks-nodegroup")}.get(action, ("", ""))
    role, template = call.params.get(option), call.params.get("launchTemplate")
    passed: list[Triple] = [("iam:PassRole", role, {"iam:PassedToService": "eks.amazonaws.com"})] if role else []
    own = for_service_role(call, f"{service}.amazonaws.com") if role else []
    starts = template and action in ("eks:CreateNodegroup", "eks:UpdateNodegroupVersion")
    return [*passed, *own, *(launch(call, template) if starts else [])]


def _itself(call: Call) -> tuple[str, str, dict[str, str]]:
    """Action, ARN, and the names in the path."""
    method, _space, path = call.operation.partition(" ")
    subresource = next((name for name in SUBRESOURCES if name in call.query), "")
    for service, methods, pattern, of, action, arn in KNOWN:
        match = re.fullmatch(pattern, path)
        if match and call.service == service and method in methods.split("|") and subresource == of:
            names = match.groupdict()
            of_other = next((other for name, other in UPDATED.items() if name in call.query and action == "eks:DescribeUpdate"), arn)
            return action, of_other.format(**{"region": call.region, "account": call.account, **names}), names
    return f"{call.service}:{call.operation} {subresource}".rstrip(), "*", {}
