# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The definition and its files."""

from __future__ import annotations

import dataclasses
import json
import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made, refusals as refusals_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import iam_roles
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition import document, files, named, provisioning, scripts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from .. import Variables, view

DEFINITION, FILE = "hyperpod_cluster_definition", "hyperpod_cluster_definition_file"
PROVISIONING, SCRIPTS = "hyperpod_cluster_provisioning_parameters_file", "hyperpod_cluster_life_cycle_dir"
REMOVE = "hyperpod_cluster_remove"
Options = dict[str, t.Any]
ROLE_TAGS = {"mlfleet.hyperpod/component": "execution-role"}
BOUNDARY = "hyperpod_cluster_execution_role_boundary"
SERVICE = "sagemaker.amazonaws.com"


@view
def refusals(variables: Variables) -> Findings:
    """The refusals of the definition and of its files."""
    removes = str(variables[REMOVE])
    if removes and len(variables["ansible_play_hosts_all"]) > 1:
        why = "the run has more than one definition"
        return refused([not_allowed(REMOVE, removes, "a run with --limit to one definition", why)])
    return refused(refusals_of(made, lambda view: view(variables), (definition, life_cycle)))


@dataclass(frozen=True)
class Definition:
    """The cluster as options of the module ``cluster``. Settings that the definition omits are None."""

    name: str
    options: Options
    eks: dict[str, t.Any]
    """For an EKS cluster, its ARN and the subnets of the nodes; otherwise the ARN is empty."""


@view
def definition(variables: Variables) -> Definition:
    """The definition. After names have been looked up, the definition has IDs instead."""
    found = _resolved(variables)
    node_types(variables)
    role = execution_role(variables)
    for option in named.GROUPS if role.name else ():
        found[option] = found.get(option) and [{"execution_role": role.arn, **group} for group in found[option]]
    return Definition(found["name"], {option: found.get(option) for option in document.OPTIONS}, _eks(found))


def orchestrator(variables: Variables) -> str:
    """The ARN of the EKS cluster in the definition of this host.

    Empty without a definition, and for a definition that the playbook ``cluster`` refuses.
    """
    given = {DEFINITION: variables.get(DEFINITION) or {}, FILE: variables.get(FILE) or ""}
    try:
        return str(_eks(_options(given))["arn"]) if any(given.values()) else ""
    except Refused:
        return ""


@view
def lookup(variables: Variables) -> named.Lookup:
    return named.lookup(_options(variables))


@view
def resolved_refusals(variables: Variables) -> Findings:
    """Refusals of names that match no resource or several, from ``__hyperpod_cluster_named``."""
    try:
        _resolved(variables)
    except Refused as error:
        return refused([str(error)])
    return []


@dataclass(frozen=True)
class ExecutionRole:
    """The nodes' role, if the run creates it."""

    name: str
    arn: str
    managed_policy: str = ""
    tags: dict[str, str] = field(default_factory=lambda: ROLE_TAGS)
    trust: str = ""
    """The trust policy. For an existing role, its current one, because the documented IAM policies do not let a run replace it."""
    boundary: str | None = None
    refusals: Findings = field(default_factory=list)
    """Refusals of an existing role in ``__hyperpod_cluster_role_found`` with a different purpose, and of the boundary."""
    notes: Findings = field(default_factory=list)
    """Findings about a trust policy that allows too much."""


@view
def execution_role(variables: Variables) -> ExecutionRole:
    """The role. It is empty until the caller's account is known."""
    caller = (variables.get("__hyperpod_cluster_caller") or {}).get("arn", "")
    name = str(variables["hyperpod_cluster_execution_role"])
    if not caller or not name:
        return ExecutionRole(name, "arn:aws:iam::000000000000:role/" + name if name else "")
    _arn, partition, _service, _region, account, _resource = caller.split(":", 5)
    there = plain((variables.get("__hyperpod_cluster_role_found") or {}).get("iam_roles") or [])
    foreign = [role for role in there if not ROLE_TAGS.items() <= (role.get("tags") or {}).items()]
    wide = [each for each in there if not iam_roles.trusts_alone(each.get("assume_role_policy_document"), SERVICE, account)]
    trust, boundary = iam_roles.trust(SERVICE, account), str(variables[BOUNDARY])
    wrong = iam_roles.boundary_problem(BOUNDARY, boundary, partition=partition, account=account)
    values = {"role": name, "service": SERVICE, "account": account, "policy": json.dumps(trust)}
    return ExecutionRole(
        name,
        arn=f"arn:{partition}:iam::{account}:role/{name}",
        managed_policy=f"arn:{partition}:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy",
        trust=json.dumps(there[0].get("assume_role_policy_document") if there else trust),
        boundary=boundary or None,
        refusals=[*(finding("cluster-role-taken", role=name) if foreign else []), *(refused([wrong]) if wrong else [])],
        notes=finding("cluster-role-trust", **values) if wide and not foreign else [],
    )


def node_types(variables: Variables) -> dict[str, str]:
    """Node types of the groups, from provisioning_parameters.json; empty without this file."""
    given = _provisioning(variables)
    return {} if given is None else provisioning.node_types(PROVISIONING, given, _options(variables))


@dataclass(frozen=True)
class LifeCycle:
    """Options of ``cluster_lifecycle_scripts``."""

    bucket: str
    prefix: str
    scripts: list[dict[str, t.Any]]


@view
def life_cycle(variables: Variables) -> LifeCycle:
    folder = str(variables[SCRIPTS])
    if not folder:
        return LifeCycle("", "", [])
    found = scripts.scripts_of(SCRIPTS, folder, _options(variables), _provisioning(variables))
    given = ({name: value for name, value in dataclasses.asdict(each).items() if value is not None} for each in found.scripts)
    return LifeCycle(found.bucket, found.prefix, list(given))


def _resolved(variables: Variables) -> Options:
    option, given = _given(variables)
    found, answer = document.options_of(option, given), plain(variables.get("__hyperpod_cluster_named") or {})
    return named.resolved(option, found, answer, aws=document.is_of_aws(given)) if "subnets" in answer else found


def _options(variables: Variables) -> Options:
    return document.options_of(*_given(variables))


def _given(variables: Variables) -> tuple[str, document.Document]:
    """The name of the definition's source, and the definition in its original form."""
    given, path = plain(variables[DEFINITION]), str(variables[FILE])
    if given and path:
        raise Refused(not_allowed(FILE, path, f"only one of {FILE} and {DEFINITION}", f"{DEFINITION} is set too"), option=FILE)
    if not given and not path:
        raise Refused(f"{DEFINITION}: missing; set {DEFINITION} or {FILE} to the definition of the cluster.", option=DEFINITION)
    return (FILE, files.read_object(FILE, path)) if path else (DEFINITION, given)


def _eks(definition: Options) -> dict[str, t.Any]:
    arn = ((definition.get("orchestrator") or {}).get("eks") or {}).get("cluster_arn") or ""
    groups = [group for option in named.GROUPS for group in definition.get(option) or ()]
    networks = [definition.get("vpc_config"), *(group.get("override_vpc_config") for group in groups)]
    subnets = [subnet for network in networks if network for subnet in network.get("subnets") or ()]
    return {"arn": arn, "subnets": list(dict.fromkeys(subnets))}


def _provisioning(variables: Variables) -> dict[str, t.Any] | None:
    path = str(variables[PROVISIONING])
    return files.read_object(PROVISIONING, path) if path else None
