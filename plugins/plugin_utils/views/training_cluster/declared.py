# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared cluster and the resources that exist."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, replace

from ansible.parsing.dataloader import DataLoader
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.tags import CLUSTER_TAG
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import variables as spelling
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import training_cluster as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.variables import default_values
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.files import read_object
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import declared as of_variables, eksctl
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.identities import (
    CLUSTER,
    NODES,
    ROLES,
    Role,
    role_name,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import ADDON, IDENTITY, Observed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.plan import Names
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view

ROLE = "training_cluster"
CNI_POLICY = "AmazonEKS_CNI_Policy"
NAME, FILE = "training_cluster_name", "training_cluster_eksctl_file"
FOUND, TYPES, ZONES, VERSIONS = (f"__training_cluster_{name}" for name in ("found", "types", "zones", "versions"))
"""Variables with the results of modules."""


@view
def refusals(variables: Variables) -> Findings:
    """Refusals of the variables and of the eksctl file, before any request."""
    defaults = default_values(ROLE)
    given = {name: value for name, value in _given(variables).items() if value != defaults[name]}
    problems = rules.offline(given, variables["hostvars"][variables["inventory_hostname"]])
    misspelt = spelling.misspelt([*variables], load_extra_vars(DataLoader()))
    return refused([*misspelt, *problems, *([] if problems else _twice(variables))])


def _twice(variables: Variables) -> list[str]:
    """The refusal of a cluster that another host of the run declares too. Both would create it at the same time."""
    names = ("training_cluster_name", "hyperpod_region", "hyperpod_profile")
    mine = [str(variables.get(each) or "") for each in names]
    for host in variables.get("ansible_play_hosts_all") or ():
        theirs = variables["hostvars"][host]
        if host != variables["inventory_hostname"] and [str(theirs.get(each) or "") for each in names] == mine:
            return [not_allowed("training_cluster_name", mine[0], "one host for each cluster", f"host {host} declares it too")]
    return []


def values(variables: Variables) -> dict[str, t.Any]:
    """The values of the role's variables without their prefix. The values of an eksctl file replace the defaults."""
    prefix = len(ROLE) + 1
    given = {name[prefix:]: value for name, value in _given(variables).items()}
    path, region = str(given["eksctl_file"]), str(variables["hyperpod_region"])
    return {**given, **eksctl.variables_of(read_object(FILE, path), FILE, region=region)} if path else given


def _given(variables: Variables) -> dict[str, t.Any]:
    return {name: plain(variables[name]) for name in default_values(ROLE)}


def declared(variables: Variables) -> of_variables.Declared:
    """The declared cluster. A cluster of someone else has nodes for system Pods already."""
    given = values(variables)
    there = Observed((plain(variables.get(FOUND) or {})).get("resources") or [])
    return of_variables.declared({**given, "system": {}} if there.foreign else given)


def observed(variables: Variables) -> Observed:
    return Observed(plain(variables[FOUND])["resources"])


def caller(variables: Variables) -> str:
    """The ARN of the identity that runs the playbook."""
    return str(plain(variables[FOUND])["caller_arn"])


@dataclass(frozen=True)
class This:
    """The cluster, and the tags of its resources."""

    name: str
    arn: str
    account: str
    partition: str
    tags: dict[str, str]
    """The tags of all its resources. Each resource also has the tag ``mlfleet.hyperpod/component``."""
    declared_tags: dict[str, str]
    """The tags that the user declares, for modules that set the other tags themselves."""
    types: list[str]
    """The instance types of its groups."""


@view
def this(variables: Variables) -> This:
    given, arn = values(variables), str(plain(variables[FOUND])["eks_cluster_arn"])
    _arn, partition, _service, _region, account, _name = arn.split(":", 5)
    cluster = declared(variables)
    tags = {key: str(value) for key, value in (given["tags"] or {}).items()}
    types = sorted({group.instance_type for group in cluster.groups})
    return This(cluster.name, arn, account, partition, {**tags, CLUSTER_TAG: arn}, tags, types)


@view
def name(variables: Variables) -> str:
    """The name of the EKS cluster. It is known before anything is read."""
    return str(values(variables)["name"])


def wanted_roles(variables: Variables) -> dict[str, Role]:
    """The IAM roles to create, keyed by name."""
    cluster, foreign = declared(variables), observed(variables).foreign
    parts = {each.name for each in cluster.wanted_addons(ours=not foreign)}
    parts |= {*([] if foreign else [CLUSTER]), *([NODES] if cluster.groups else [])}
    region = str(variables["hyperpod_region"])
    found = {role_name(cluster.name, region, each.part): each for each in ROLES if each.part in parts}
    if not foreign or _cni_has_role(observed(variables)):
        return found
    more = {NODES: (CNI_POLICY,)}
    return {name: replace(each, managed=(*each.managed, *more.get(each.part, ()))) for name, each in found.items()}


def _cni_has_role(there: Observed) -> bool:
    """Whether the VPC CNI has a role of its own, as far as EKS knows. Otherwise it uses the role of the node."""
    addons = [each for each in there.of(ADDON) if each["name"] == "vpc-cni"]
    associations = [each["details"]["service_account"] for each in there.of(IDENTITY)]
    return any(each["details"]["service_account_role_arn"] for each in addons) or "aws-node" in associations


def names(variables: Variables) -> Names:
    return Names(declared(variables).name, tuple(wanted_roles(variables)))
