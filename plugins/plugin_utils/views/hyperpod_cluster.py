# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role hyperpod_cluster need."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition import document, files, provisioning, scripts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.planned import Planned, planned
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told_findings import Findings, refused, told

from . import Variables

DEFINITION, FILE = "hyperpod_cluster_definition", "hyperpod_cluster_definition_file"
PROVISIONING, SCRIPTS = "hyperpod_cluster_provisioning_parameters_file", "hyperpod_cluster_life_cycle_dir"
REMOVE = "hyperpod_cluster_remove"
Options = dict[str, t.Any]


@dataclass(frozen=True)
class Declared:
    refusals: Findings
    """Of the first thing that is wrong with the definition and its files."""


def declared(variables: Variables) -> Declared:
    removes = str(variables[REMOVE])
    if removes and len(variables["ansible_play_hosts_all"]) > 1:
        why = "the run is about more than one definition"
        return Declared(refused([not_allowed(REMOVE, removes, "a run with --limit to one definition", why)]))
    try:
        definition(variables)
        life_cycle(variables)
    except Refused as error:
        return Declared(refused([str(error)]))
    return Declared([])


@dataclass(frozen=True)
class Definition:
    """The cluster by the options of module ``cluster``; None is what the definition leaves out."""

    name: str
    options: Options
    eks: dict[str, t.Any]
    """Of one with EKS: arn, else empty, and the subnets of the nodes."""


def definition(variables: Variables) -> Definition:
    found = _options(variables)
    node_types(variables)
    role = execution_role(variables)
    for option in ("instance_groups", "restricted_instance_groups") if role.name else ():
        found[option] = found.get(option) and [{"execution_role": role.arn, **group} for group in found[option]]
    return Definition(found["name"], {option: found.get(option) for option in document.OURS}, _eks(found))


@dataclass(frozen=True)
class ExecutionRole:
    """Of the nodes, if the run makes it."""

    name: str
    arn: str
    managed_policy: str


def execution_role(variables: Variables) -> ExecutionRole:
    """Empty until the caller's account is known."""
    caller = (variables.get("__hyperpod_cluster_caller") or {}).get("arn", "")
    name = str(variables["hyperpod_cluster_execution_role"])
    if not caller or not name:
        return ExecutionRole(name, "arn:aws:iam::000000000000:role/" + name if name else "", "")
    _arn, partition, _service, _region, account, _resource = caller.split(":", 5)
    policy = f"arn:{partition}:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"
    return ExecutionRole(name, f"arn:{partition}:iam::{account}:role/{name}", policy)


@dataclass(frozen=True)
class NodeTypes:
    """What provisioning_parameters.json says of the groups; empty without it."""

    found: dict[str, str]


def node_types(variables: Variables) -> NodeTypes:
    given = _provisioning(variables)
    return NodeTypes({} if given is None else provisioning.node_types(PROVISIONING, given, _options(variables)))


@dataclass(frozen=True)
class LifeCycle:
    """Objects in S3."""

    scripts: list[dict[str, t.Any]]
    """bucket, key and src, a file."""
    parameters: list[dict[str, t.Any]]
    """bucket, key and content; at most one."""


def life_cycle(variables: Variables) -> LifeCycle:
    folder = str(variables[SCRIPTS])
    if not folder:
        return LifeCycle([], [])
    found = [dataclasses.asdict(each) for each in scripts.uploads(SCRIPTS, folder, _options(variables), _provisioning(variables))]
    return LifeCycle([each for each in found if each["src"]], [each for each in found if each["content"]])


@dataclass(frozen=True)
class Plan:
    """What the module would do, by ``__hyperpod_cluster_plan``."""

    creates: bool
    arn: str | None
    """Of the cluster that is there."""
    exists: bool
    adds: bool
    """Nodes."""
    nodes: list[dict[str, t.Any]]
    prices: list[dict[str, t.Any]]
    """The same nodes as ``price_info`` takes them: it has no prices of Spot instances."""
    cluster_nodes: int
    volume_size_in_gb: int


def plan(variables: Variables) -> Plan:
    result = plain(variables["__hyperpod_cluster_plan"])
    changes, cluster = result["changes"], result["cluster"]
    creates = any(change["action"] == "create" and " group " not in change["resource"] for change in changes)
    exists = cluster["exists"] and not creates
    adds = planned(changes, cluster["definition"]) if cluster["exists"] else Planned()
    return Plan(
        creates=creates,
        arn=cluster["cluster_arn"] if exists else None,
        exists=exists,
        adds=bool(adds.nodes),
        nodes=[dataclasses.asdict(each) for each in adds.nodes],
        prices=[{"instance_type": name, "count": count} for name, count in adds.by_type().items()],
        cluster_nodes=adds.cluster_nodes,
        volume_size_in_gb=adds.volume_size_in_gb,
    )


@dataclass(frozen=True)
class Locked:
    arn: str
    """Of the cluster whose lock the run may hold."""


def locked(variables: Variables) -> Locked:
    """Also after a failure before anything was looked at."""
    known = "changes" in (variables.get("__hyperpod_cluster_plan") or {})
    return Locked(str(variables[REMOVE]) or (known and plan(variables).arn) or "")


@dataclass(frozen=True)
class Room:
    """Whether there are quotas for what is added, by ``__hyperpod_cluster_quotas``, and what it costs."""

    findings: Findings


def room(variables: Variables) -> Room:
    quotas = plain(variables["__hyperpod_cluster_quotas"]["quotas"])
    found: Findings = []
    low = "quota-too-low" if variables["hyperpod_cluster_require_quota"] else "quota-too-low-tried"
    for quota in (each for each in quotas if each["enough"] is False):
        needed, pending = quota["used"] + quota["planned"], quota["pending"]
        asked = f", {pending:g} was asked for" if pending is not None else ""
        found += told(low, name=quota["name"], applied=f"{quota['applied']:g}", needed=needed, asked=asked)
    unknown = [each["name"] for each in quotas if each["enough"] is None]
    if unknown:
        found += told("quota-unknown", names=", ".join(unknown))
    return Room([*found, *told("price", told=variables["__hyperpod_cluster_prices"]["told"])])


@dataclass(frozen=True)
class EksFindings:
    """What is missing for a cluster with EKS, by ``__hyperpod_cluster_eks``."""

    findings: Findings


def eks(variables: Variables) -> EksFindings:
    asked = plain(variables["__hyperpod_cluster_eks"]["requirements"])
    missing = [finding for each in asked if each["met"] is False for finding in told("eks-requirement", **_said(each))]
    unknown = [finding for each in asked if each["met"] is None for finding in told("eks-requirement-unknown", **_said(each))]
    return EksFindings([*missing, *unknown])


def _said(requirement: t.Mapping[str, t.Any]) -> dict[str, str]:
    return {name: str(requirement[name]) for name in ("name", "found", "needed")}


@dataclass(frozen=True)
class Outcome:
    findings: Findings


def outcome(variables: Variables) -> Outcome:
    """What to do next, once the cluster was made."""
    if not plan(variables).creates or variables["ansible_check_mode"]:
        return Outcome([])
    cluster = variables["__hyperpod_cluster_done"]["cluster"]
    types = node_types(variables).found
    hint = f" Write into its entry of the inventory source: node_types: {types}." if types else ""
    return Outcome(told("cluster-made", cluster=cluster["name"], arn=cluster["cluster_arn"], hint=hint))


@dataclass(frozen=True)
class Removal:
    """Of a cluster that the inventory has, for Slurm."""

    controller: str
    """A host that knows of its jobs; empty where there is none, and where the cluster is gone."""
    python: str
    """Its interpreter: the play's own is the one of this machine."""


def removal(variables: Variables) -> Removal:
    """By ``__hyperpod_cluster_removal``."""
    hostvars, groups = variables["hostvars"], variables["groups"]
    members = [
        host
        for cluster in groups.get(fleet.CLUSTERS, ())
        if hostvars[cluster].get("hyperpod_cluster_arn") == variables[REMOVE]
        for host in groups[hostvars[cluster]["hyperpod_cluster_group"]]
    ]
    found = [host for host in groups.get(fleet.CONTROLLERS, ()) if host in members and _goes(variables)]
    return Removal(found[0], hostvars[found[0]].get("ansible_python_interpreter", "auto")) if found else Removal("", "auto")


@dataclass(frozen=True)
class Jobs:
    """Where they are looked for, by ``__hyperpod_cluster_nodes``."""

    addresses: list[str]


def jobs(variables: Variables) -> Jobs:
    return Jobs([row["ip"] for row in plain(variables["__hyperpod_cluster_nodes"]["nodes"]) if row["ip"]])


@dataclass(frozen=True)
class Lost:
    """What goes with a cluster that is removed, by ``__hyperpod_cluster_removal`` and ``__hyperpod_cluster_jobs``."""

    findings: Findings


def lost(variables: Variables) -> Lost:
    found = _goes(variables)
    return Lost(told("cluster-goes", cluster=found["resource"], **_lost(variables, found["before"]["groups"])) if found else [])


def _lost(variables: Variables, groups: t.Mapping[str, t.Any]) -> dict[str, str]:
    nodes = [
        f"{name} {group['nodes']}" + (f" ({', '.join(group['node_ids'])})" if group["node_ids"] else "")
        for name, group in groups.items()
    ]
    sizes = [
        f"{volume['volume_size_in_gb']} GB on each node of {name}"
        for name, group in groups.items()
        for volume in group["volumes"]
        if "volume_size_in_gb" in volume
    ]
    answer = (variables.get("__hyperpod_cluster_jobs") or {}).get("slurm_nodes")
    ends = [f"{job['id']} of {job['user']}" for job in plain(answer["jobs"])] if answer else []
    unknown = "unknown, the inventory has no controller of it that answers"
    return {
        "nodes": ", ".join(nodes) or "none",
        "volumes": ", ".join(sizes) or "none besides those that the nodes start from",
        "jobs": ", ".join(ends) or "none" if answer else unknown,
    }


def _goes(variables: Variables) -> dict[str, t.Any] | None:
    return next(iter(plain(variables["__hyperpod_cluster_removal"]["changes"])), None)


def _options(variables: Variables) -> Options:
    given, path = plain(variables[DEFINITION]), str(variables[FILE])
    if given and path:
        raise Refused(not_allowed(FILE, path, f"either it or {DEFINITION}", f"{DEFINITION} is set too"), option=FILE)
    if not given and not path:
        raise Refused(f"{DEFINITION}: missing; it or {FILE} says what the cluster shall be.", option=DEFINITION)
    return document.options_of(FILE, files.read_object(FILE, path)) if path else document.options_of(DEFINITION, given)


def _eks(definition: Options) -> dict[str, t.Any]:
    arn = ((definition.get("orchestrator") or {}).get("eks") or {}).get("cluster_arn") or ""
    groups = definition.get("instance_groups") or ()
    networks = [definition.get("vpc_config"), *(group.get("override_vpc_config") for group in groups)]
    subnets = [subnet for network in networks if network for subnet in network.get("subnets") or ()]
    return {"arn": arn, "subnets": list(dict.fromkeys(subnets))}


def _provisioning(variables: Variables) -> dict[str, t.Any] | None:
    path = str(variables[PROVISIONING])
    return files.read_object(PROVISIONING, path) if path else None


VIEWS = (declared, definition, execution_role, life_cycle, plan, locked, room, eks, outcome, removal, jobs, lost)
