# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the tasks that create the cluster."""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import DEFAULT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import access
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import SYSTEM, Addon
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.identities import (
    ADDON_ROLES,
    CLUSTER,
    PATH,
    role_name,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import ADDON, ENTRY, ROLE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import declared, observed, this, values, wanted_roles
from .image import reference
from .network import COMPONENT, place
from .planned import EXTENDED, before_upgrade, plan, support, upgrades

ATTEMPTS = 4
MADE = "__training_cluster_made_cluster"
"""The variable with the result of ``eks_cluster``."""
PLUGINS_MADE = "__training_cluster_made_plugins"
"""The variable with the result of ``device_plugins``."""


@dataclass(frozen=True)
class Roles:
    """IAM roles, as options of ``amazon.aws.iam_role`` and ``amazon.aws.iam_policy``."""

    all: list[dict[str, t.Any]]
    with_policies: list[dict[str, t.Any]]
    """The roles that also have a policy of their own; in check mode, only those that exist."""


@view
def roles(variables: Variables) -> Roles:
    cluster = this(variables)
    found = [
        {
            "name": name,
            "path": PATH,
            "trust": json.dumps(each.trust(account=cluster.account, cluster=cluster.arn)),
            "boundary": values(variables)["boundary"],
            "managed_policies": each.managed_arns(cluster.partition),
            "policy": each.policy(cluster.partition),
            "tags": {**cluster.tags, COMPONENT: ROLE},
        }
        for name, each in wanted_roles(variables).items()
    ]
    before, check = observed(variables), variables["ansible_check_mode"]
    return Roles(found, [each for each in found if each["policy"] and (not check or before.named(ROLE, str(each["name"])))])


def role_arn(variables: Variables, part: str) -> str:
    cluster = this(variables)
    return f"arn:{cluster.partition}:iam::{cluster.account}:role{PATH}{_role_name(variables, part)}"


def _role_name(variables: Variables, part: str) -> str:
    return role_name(this(variables).name, str(variables["hyperpod_region"]), part)


@dataclass(frozen=True)
class Cluster:
    """Options of ``eks_cluster``. None leaves a setting of an existing cluster unchanged."""

    version: str | None
    role_arn: str | None
    subnets: list[str] | None
    public: bool | None
    private: bool | None
    public_access_cidrs: list[str] | None
    authentication_mode: str | None
    logging: list[str] | None
    encryption_key_arn: str | None
    support_type: str | None
    deletion_protection: bool | None
    tags: dict[str, str] | None
    attempts: int
    """How often a failed creation is retried, because AWS may refuse a role that was created seconds before."""


@view
def cluster(variables: Variables) -> Cluster:
    given, before = values(variables), observed(variables)
    new, ours = before.cluster is None, not before.foreign
    cidrs = list(given["public_access_cidrs"])
    return Cluster(
        version=str(given["version"]) or None,
        role_arn=role_arn(variables, CLUSTER) if new else None,
        subnets=place(variables).subnets if new else None,
        public=bool(cidrs) if ours or cidrs else None,
        private=True if ours else None,
        public_access_cidrs=cidrs or None,
        authentication_mode="API" if new else None,
        logging=list(given["logging"]) if ours or given["logging"] else None,
        encryption_key_arn=str(given["encryption_key_arn"]) or None,
        support_type=_support_type(variables) if ours else None,
        deletion_protection=True if ours else None,
        tags={**this(variables).tags, COMPONENT: "eks_cluster"} if ours else None,
        attempts=ATTEMPTS if new else 0,
    )


def _support_type(variables: Variables) -> str | None:
    """EKS cannot turn extended support off while the version is in it."""
    if boolean(values(variables)["extended_support"], strict=False):
        return "EXTENDED"
    return None if support(variables) == EXTENDED else "STANDARD"


@dataclass(frozen=True)
class Entries:
    """Access entries of EKS."""

    wanted: list[dict[str, t.Any]]
    """Entries of administrators and teams, as options of ``eks_access_entry``. Those of someone else keep their other policies."""
    undeclared: list[str]
    """Principals that are no longer declared and whose entries the role created."""


@view
def entries(variables: Variables) -> Entries:
    cluster, before = declared(variables), observed(variables)
    tags = {arn: tags_of(variables, ENTRY, arn) for arn in access.policies_of(cluster)}
    return Entries(
        wanted=[
            {"principal": arn, "policies": policies, "purge": tags[arn] is not None, "tags": tags[arn]}
            for arn, policies in access.policies_of(cluster).items()
        ],
        undeclared=[each["id"] for each in access.undeclared(cluster, before)],
    )


@dataclass(frozen=True)
class Addons:
    """Options of ``eks_addon``."""

    first: list[dict[str, t.Any]]
    """Add-ons without which nodes do not become ready."""
    others: list[dict[str, t.Any]]


@view
def addons(variables: Variables) -> Addons:
    before, early = observed(variables), before_upgrade(variables)
    wanted = declared(variables).wanted_addons(ours=not before.foreign)
    # EKS names the versions for the current control plane only, so the plan lists new add-ons and new versions.
    wanted = tuple(each for each in wanted if not early or before.named(ADDON, each.name))
    return Addons(
        [_addon(variables, each) for each in wanted if each.first], [_addon(variables, each) for each in wanted if not each.first]
    )


def _addon(variables: Variables, addon: Addon) -> dict[str, t.Any]:
    early = before_upgrade(variables)
    tags, roles_of_addons = tags_of(variables, ADDON, addon.name), {each.part: each for each in ADDON_ROLES}
    role = roles_of_addons.get(addon.name) if tags is not None else None
    arn = role_arn(variables, addon.name) if role else ""
    inline = [{"service_account": role.service_account, "role_arn": arn}] if role and role.inline_association else None
    apart = {"namespace": role.namespace, "service_account": role.service_account, "role_arn": arn} if role else None
    return {
        "name": addon.name,
        "version": DEFAULT if early else addon.version,
        "configuration": addon.configuration,
        "identities": inline,
        "association": None if inline else apart,
        "tags": tags,
        "upgrade": upgrades(variables) and not early,
    }


def tags_of(variables: Variables, kind: str, name: str) -> dict[str, str] | None:
    """The tags of a new resource, or of a resource of ours. None leaves the tags of someone else's resource unchanged."""
    there = observed(variables).named(kind, name)
    return None if there and not there["ours"] else {**this(variables).tags, COMPONENT: kind}


def cluster_made(variables: Variables) -> Variables:
    """The cluster as ``eks_cluster`` returned it."""
    found: Variables = plain(variables.get(MADE) or {}).get("eks_cluster") or {}
    return found


@dataclass(frozen=True)
class Asked:
    """Parts that the user can switch off."""

    device_plugins: bool
    verification: bool


@view
def asked(variables: Variables) -> Asked:
    given = values(variables)
    return Asked(boolean(given["device_plugins"], strict=False), boolean(given["verify"], strict=False))


@dataclass(frozen=True)
class Verified:
    """The groups that the verification uses. They have one instance type, because a training job needs equal nodes."""

    groups: list[str]
    findings: Findings
    """The finding about groups of other types."""


@view
def verified(variables: Variables) -> Verified:
    groups = [each for each in declared(variables).groups if each.nodes and each.name != SYSTEM]
    first = groups[0].instance_type if groups else ""
    left = [each.name for each in groups if each.instance_type != first]
    found = finding("training-cluster-unverified", groups=left, instance_type=first) if left else []
    return Verified([each.name for each in groups if each.instance_type == first], found)


@view
def outcome(variables: Variables) -> Findings:
    """Findings about a new cluster and its images."""
    built = reference(variables)
    found = finding("training-cluster-image", image=built) if built else []
    found += _plugins(variables)
    if observed(variables).cluster or not plan(variables).changes:
        return found
    return [*found, *finding("training-cluster-made", cluster=this(variables).name, arn=this(variables).arn)]


def _plugins(variables: Variables) -> Findings:
    """The images of the device plugins, with the digests that the nodes run."""
    made = (plain(variables.get(PLUGINS_MADE) or {}).get("device_plugins") or {}).values()
    images = [f"{each['image']} ({', '.join(each['digests']) or 'not running yet'})" for each in made if each and each["image"]]
    return finding("training-cluster-device-plugins", images=images) if images else []
