# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the cluster and everything that is part of it in EKS."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._aws.client import Api
from ..._kubernetes.eks import BY_CONFIG_MAP
from ..access_entry.model import Entry
from ..addon.model import configuration_of
from ..cluster import fields
from ..common import NOT_FOUND, found
from .model import Answer, Owner, Resource, unless_gone

Details = dict[str, t.Any]
ASSOCIATED = ("ListAssociatedAccessPolicies", "associatedAccessPolicies")


@dataclass(frozen=True)
class Part:
    """A kind of resource in a cluster. EKS lists only names or IDs, and describes one resource in each call."""

    kind: str
    list: str
    listed: str
    """Key of the listing."""
    describe: str
    described: str
    parameter: str
    """The parameter of ``describe`` that identifies the resource."""
    details: t.Callable[[Answer], Details]
    identify: t.Callable[[t.Any], str] = str
    """The identifier in an item of the listing."""
    name: t.Callable[[Answer], str] | None = None
    """None if the identifier is the name."""
    associated: tuple[str, str] | None = None
    """A further listing for each resource, and its key, which is added to the description."""

    @property
    def noun(self) -> str:
        return self.kind.removeprefix("eks_").replace("_", " ")


def _cluster(found_here: Answer) -> Details:
    network, settings = found_here.get("resourcesVpcConfig") or {}, fields.observed(found_here)
    return {
        "version": found_here.get("version") or "",
        "role_arn": found_here.get("roleArn") or "",
        "vpc_id": network.get("vpcId") or "",
        "subnet_ids": sorted(network.get("subnetIds") or ()),
        "security_group_id": network.get("clusterSecurityGroupId") or "",
        "deletion_protection": found_here.get("deletionProtection"),
        "endpoint_public_access": network.get("endpointPublicAccess"),
        "endpoint_private_access": network.get("endpointPrivateAccess"),
        "auto_mode": bool((found_here.get("computeConfig") or {}).get("enabled")),
        "logging": list(settings["logging"]),
        "support_type": settings[fields.SUPPORT.option] or "",
    }


def _nodegroup(group: Answer) -> Details:
    scaling, template = group.get("scalingConfig") or {}, group.get("launchTemplate")
    return {
        "version": group.get("version") or "",
        "instance_types": list(group.get("instanceTypes") or ()),
        "capacity_type": group.get("capacityType") or "",
        "ami_type": group.get("amiType") or "",
        "min": scaling.get("minSize"),
        "max": scaling.get("maxSize"),
        "desired": scaling.get("desiredSize"),
        "disk_size": group.get("diskSize"),
        "launch_template": template and {key: template.get(key, "") for key in ("id", "name", "version")},
        "subnet_ids": sorted(group.get("subnets") or ()),
        "node_role_arn": group.get("nodeRole") or "",
    }


def _addon(addon: Answer) -> Details:
    role, text = addon.get("serviceAccountRoleArn") or "", addon.get("configurationValues") or ""
    return {"version": addon.get("addonVersion") or "", "service_account_role_arn": role, "configuration": configuration_of(text)}


def _association(association: Answer) -> Details:
    return {
        "namespace": association["namespace"],
        "service_account": association["serviceAccount"],
        "role_arn": association.get("roleArn") or "",
        "owner_arn": association.get("ownerArn") or "",
    }


def _entry(entry: Answer) -> Details:
    policies = Entry.from_api(entry, entry[ASSOCIATED[1]]).policies
    return {
        "type": entry.get("type") or "",
        "username": entry.get("username") or "",
        "access_policies": [each.to_result() for each in policies],
    }


def _profile(profile: Answer) -> Details:
    return {"pod_execution_role_arn": profile.get("podExecutionRoleArn") or "", "subnet_ids": sorted(profile.get("subnets") or ())}


NODEGROUPS = Part(
    *("eks_nodegroup", "ListNodegroups", "nodegroups", "DescribeNodegroup", "nodegroup", "nodegroupName"), details=_nodegroup
)
ACCESS_ENTRIES = Part(
    *("eks_access_entry", "ListAccessEntries", "accessEntries", "DescribeAccessEntry", "accessEntry", "principalArn"),
    details=_entry,
    name=lambda entry: str(entry["principalArn"]).rpartition("/")[2],
    associated=ASSOCIATED,
)
PARTS = (
    NODEGROUPS,
    Part(*("eks_addon", "ListAddons", "addons", "DescribeAddon", "addon", "addonName"), details=_addon),
    Part(
        *("eks_pod_identity_association", "ListPodIdentityAssociations", "associations"),
        *("DescribePodIdentityAssociation", "association", "associationId"),
        details=_association,
        identify=lambda item: str(item["associationId"]),
        name=lambda association: f"{association['namespace']}/{association['serviceAccount']}",
    ),
    ACCESS_ENTRIES,
    Part(
        *("fargate_profile", "ListFargateProfiles", "fargateProfileNames"),
        *("DescribeFargateProfile", "fargateProfile", "fargateProfileName"),
        details=_profile,
    ),
)


def read(eks: Api, owner: Owner) -> t.Iterator[Resource]:
    """The cluster and its parts; nothing if the cluster does not exist."""
    answer = found(eks, "DescribeCluster", about=owner.about, name=owner.name)
    if answer is None:
        return
    cluster = answer["cluster"]
    yield _resource(owner, "eks_cluster", owner.name, owner.name, cluster, _cluster(cluster))
    for part in PARTS:
        # EKS refuses to list access entries if the cluster does not have them.
        if part is ACCESS_ENTRIES and (cluster.get("accessConfig") or {}).get("authenticationMode") == BY_CONFIG_MAP:
            continue
        yield from _parts(eks, owner, part)


def _parts(eks: Api, owner: Owner, part: Part) -> t.Iterator[Resource]:
    """A resource that is removed during the calls is omitted, as are all if the cluster is removed."""
    about = f"{part.noun} of {owner.about}"
    listed = unless_gone(lambda: eks.pages(part.list, part.listed, about=about, clusterName=owner.name), NOT_FOUND)
    for identifier in sorted(map(part.identify, listed or ())):
        described = _described(eks, owner, part, identifier)
        if described is not None:
            name = part.name(described) if part.name else identifier
            yield _resource(owner, part.kind, identifier, name, described, part.details(described))


def _described(eks: Api, owner: Owner, part: Part, identifier: str) -> Answer | None:
    about, named = f"{part.noun} {identifier} of {owner.about}", {"clusterName": owner.name, part.parameter: identifier}
    answer = found(eks, part.describe, about=about, **named)
    if answer is None or part.associated is None:
        return answer and answer[part.described]
    operation, key = part.associated
    items = unless_gone(lambda: eks.pages(operation, key, about=about, **named), NOT_FOUND)
    return None if items is None else {**answer[part.described], key: list(items)}


def _resource(owner: Owner, kind: str, identifier: str, name: str, answer: Answer, details: Details) -> Resource:
    status, tags = answer.get("status") or "", answer.get("tags") or {}
    return owner.resource(kind, identifier, tags=tags, name=name, status=status, details=details)
