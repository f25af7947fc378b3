# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role accelerator_health need."""

from __future__ import annotations

import collections
import json
import os
import typing as t
import uuid
from dataclasses import dataclass
from pathlib import Path

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.names import (
    IMAGE,
    IMAGE_ALLOWED,
    NAMESPACE,
    NAMESPACE_ALLOWED,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import (
    document as of_fleet,
    findings,
    forms,
    held,
    kubernetes_states,
    security_groups,
    service,
    slurm_states,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl import beside, model as of_nccl, plan
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.told import outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page import page
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.told import health_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.untrusted import line
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told_findings import Findings, refused

from . import Variables

SEEN, SLURM, TYPES, NODES, PART, LOOK, REPORTED, JOBS, NCCL = (
    f"__accelerator_health_{name}"
    for name in ("seen", "slurm_seen", "types_seen", "nodes_seen", "cluster_health", "look", "reported", "jobs_seen", "nccl_seen")
)
"""Facts of a node, of a controller, and of a cluster."""
HOOKS = ("accelerator_health_slurm_check", "accelerator_health_prolog")
"""What switches them on; off by default."""
DEVICES = ("gpus", "efa_devices", "neuron_devices")
DCGM_LEVELS = ("1", "2", "3", "4")
WITH_ALL_EFA = ("ml.p", "ml.trn")
"""Types whose nodes are given all EFA devices that EC2 lets them have; others may go without."""


@dataclass(frozen=True)
class Declared:
    refusals: Findings


def declared(variables: Variables) -> Declared:
    asked = str(variables["accelerator_health_result"])
    level = str(variables["accelerator_health_dcgm_level"])
    wrong = [] if asked in findings.RESULTS else [not_allowed("accelerator_health_result", asked, ", ".join(findings.RESULTS))]
    wrong += [] if level in DCGM_LEVELS else [not_allowed("accelerator_health_dcgm_level", level, ", ".join(DCGM_LEVELS))]
    return Declared(refused(wrong))


@dataclass(frozen=True)
class NewLook:
    stamp: str
    """By which what nodes return now is told from what they returned to an earlier playbook of the same run."""


def look(_variables: Variables) -> NewLook:
    return NewLook(uuid.uuid4().hex)


@dataclass(frozen=True)
class Types:
    """Of the cluster's nodes."""

    names: list[str]


def types(variables: Variables) -> Types:
    return Types(sorted({str(node["hyperpod_instance_type"]) for node in _nodes(variables)}))


@dataclass(frozen=True)
class SecurityGroups:
    """Of nodes that have EFA devices."""

    ids: list[str]


def efa_groups(variables: Variables) -> SecurityGroups:
    return SecurityGroups(sorted({each for ids in _efa_sets(variables) for each in ids}))


@dataclass(frozen=True)
class Node:
    """The current host."""

    asked: bool
    """Its type has accelerators, or nobody knows."""
    instance_type: str
    instance_id: str
    expected: dict[str, int | None]
    """By the names of devices; None where EC2 does not know the type."""
    slurm_addresses: list[str]
    """Of all nodes of the cluster, on a controller; none on another node."""
    look: str
    dcgm_held: str
    """Why DCGM must not load it now; empty for nothing."""


def node(variables: Variables) -> Node:
    own = fleet.cluster_host(variables["group_names"], variables["groups"])
    expected = _expected(variables["hostvars"][own], str(variables["hyperpod_instance_type"]))
    return Node(
        asked=_asked(expected),
        instance_type=str(variables["hyperpod_instance_type"]),
        instance_id=str(variables["hyperpod_instance_id"]),
        expected=expected,
        slurm_addresses=_addresses(variables, own),
        look=str(variables["hostvars"][own].get(LOOK) or ""),
        dcgm_held=_dcgm_held(variables) if int(variables.get("accelerator_health_dcgm_level", 1)) > 1 else "",
    )


RANGES = {"accelerator_health_batch": (1, 500), "accelerator_health_batch_timeout": (10, 3600)}
TEXTS = {
    "accelerator_health_image": {"pattern": rf"^{IMAGE}$", "allowed": IMAGE_ALLOWED},
    "accelerator_health_namespace": {"pattern": rf"^{NAMESPACE}$", "allowed": NAMESPACE_ALLOWED},
}


@dataclass(frozen=True)
class Jobs:
    """Of a cluster with EKS."""

    refusals: Findings
    nodes: list[dict[str, t.Any]]
    """That are looked at, as the module takes them."""
    eks_cluster: str | None
    kubeconfig: str | None
    context: str | None
    look: str


def jobs(variables: Variables) -> Jobs:
    known = variables["hostvars"][variables["inventory_hostname"]]
    wrong = [*limits.range_problems(variables, RANGES, known), *limits.text_problems(variables, TEXTS, known)]
    kubeconfig, context = str(variables["accelerator_health_kubeconfig"]), str(variables["accelerator_health_context"])
    found = [(each, _expected(variables, str(each["hyperpod_instance_type"]))) for each in _nodes(variables)]
    return Jobs(
        refusals=refused(wrong),
        nodes=[_as_asked(each, expected) for each, expected in found if _asked(expected)],
        eks_cluster=None if kubeconfig or context else str(variables["hyperpod_run"]["cluster"]["eks_cluster_arn"]),
        kubeconfig=kubeconfig or None,
        context=context or None,
        look=str(variables.get(LOOK) or ""),
    )


def _as_asked(node: Variables, expected: t.Mapping[str, int | None]) -> dict[str, t.Any]:
    about = {"instance_id": str(node["hyperpod_instance_id"]), "instance_type": str(node["hyperpod_instance_type"])}
    return {**about, **{f"expected_{name}": count for name, count in expected.items() if count is not None}}


@dataclass(frozen=True)
class Hooks:
    """Slurm's, on the current host."""

    wanted: bool
    """It is to ask, and this run may change the node."""
    controller: bool


def hooks(variables: Variables) -> Hooks:
    groups = variables["groups"]
    cluster_run = variables["hostvars"][fleet.cluster_host(variables["group_names"], groups)].get("hyperpod_run") or {}
    asks = any(boolean(variables.get(name, False), strict=False) for name in HOOKS)
    changes = bool(variables["ansible_check_mode"] or cluster_run.get("writing", False))
    return Hooks(
        wanted=asks and changes and bool((variables.get("hyperpod_run") or {}).get("reached", False)),
        controller=variables["inventory_hostname"] in groups.get(fleet.CONTROLLERS, ()),
    )


def _dcgm_held(variables: Variables) -> str:
    own = _of_cluster(variables)
    iid, slurm = variables["hyperpod_instance_id"], _slurm(own)
    listed: Variables = next((each for each in plain(own.get(NODES) or ()) if each["instance_id"] == iid), {})
    state = slurm.get(str(listed.get("ip")), slurm_states.NOTHING) if slurm is not None else None
    return held.from_a_long_test(str(listed.get("status")), state)


@dataclass(frozen=True)
class Nccl:
    """On a node, once all were looked at."""

    runs: bool
    """It is the controller that makes the tests."""
    tests: list[dict[str, t.Any]]
    """That come next: ``addresses``, ``instance_type``, ``gpus``, ``efa``, the nodes' ``ids``, and the ``look`` that it is for."""
    outcomes: list[dict[str, t.Any]]
    """Of those that were made, as the module returned them, each with ``ids`` of the plan."""


def nccl(variables: Variables) -> Nccl:
    wanted = boolean(variables["accelerator_health_nccl"], strict=False) and not variables["ansible_check_mode"]
    if not wanted or not _asks_slurm(variables):
        return Nccl(False, [], [])
    own = _of_cluster(variables)
    stamp = own.get(LOOK)
    before = _now(variables, NCCL, own) or []
    read = plain((variables.get("__accelerator_health_nccl_read") or {}).get("results") or [])
    made = [(each["__accelerator_health_test"], each.get("nccl_test")) for each in read]
    new = [{"ids": test["ids"], "told": answer} for test, answer in made if test["look"] == stamp]
    known = [each["ids"] for each in before]
    done = [*before, *(each for each in new if each["ids"] not in known)]
    tests = plan.next_tests(_idle(own), [outcome(each["ids"], each["told"]) for each in done])
    return Nccl(True, [{**each.to_task(), "look": stamp} for each in tests], done)


def _asks_slurm(variables: Variables) -> bool:
    """The first controller that has told of Slurm's nodes."""
    own, hostvars = _of_cluster(variables), variables["hostvars"]
    controllers = variables["groups"].get(fleet.CONTROLLERS, ())
    asked = [host for host in variables["groups"][own["hyperpod_cluster_group"]] if host in controllers]
    return next((host for host in asked if _now(hostvars[host], SLURM, own)), "") == variables["inventory_hostname"]


def _idle(own: Variables) -> list[of_nccl.Node]:
    """Nodes with GPUs that are fit as far as anybody knows, and that nobody uses."""
    slurm = _slurm(own)
    rows = [(each, _expected(own, each["instance_type"])) for each in cluster(own).health if beside.may_be_tested(each, slurm)]
    return [
        of_nccl.Node(
            instance_id=each["instance_id"],
            address=each["private_ip"],
            instance_type=each["instance_type"],
            gpus=expected["gpus"],
            efa=bool(expected["efa_devices"]),
        )
        for each, expected in rows
        if expected["gpus"]
    ]


def _of_cluster(variables: Variables) -> Variables:
    """Variables of the cluster's host, on the host of one of its nodes."""
    own = fleet.cluster_host(variables["group_names"], variables["groups"])
    known = {"hostvars": variables["hostvars"], "groups": variables["groups"], "inventory_hostname": own}
    return collections.ChainMap(known, variables["hostvars"][own])


@dataclass(frozen=True)
class Cluster:
    health: list[dict[str, t.Any]]
    """What is known of each node."""
    set_up: dict[str, list[str]]
    """What is wrong beside the nodes, and the instance groups that suffer from it."""
    slurm_asked: bool


def cluster(variables: Variables) -> Cluster:
    slurm = _slurm(variables)
    access = plain((variables.get("hyperpod_run") or {}).get("node_access") or {})
    listed = {each["instance_id"]: each for each in plain(variables.get(NODES) or ())}
    kubernetes = _kubernetes(variables)
    others = Others(slurm or {}, kubernetes_states.states(kubernetes), _failure(kubernetes))
    nodes = [_node(each, variables, listed, others, access) for each in _nodes(variables)]
    asked = slurm is not None or kubernetes is not None
    return Cluster(_with_nccl(nodes, variables), _set_up(variables), asked)


def _with_nccl(nodes: list[dict[str, t.Any]], variables: Variables) -> list[dict[str, t.Any]]:
    if not boolean(variables.get("accelerator_health_nccl", False), strict=False):
        return nodes
    done = [outcome(each["ids"], each["told"]) for node in _nodes(variables) for each in _now(node, NCCL, variables) or ()]
    with_gpus = {each["instance_type"] for each in nodes if _expected(variables, each["instance_type"])["gpus"]}
    check = bool(variables.get("ansible_check_mode"))
    return beside.beside(nodes, done, with_gpus=with_gpus, slurm=_slurm(variables), check=check)


def _set_up(variables: Variables) -> dict[str, list[str]]:
    read = plain((variables.get("__accelerator_health_security_groups") or {}).get("security_groups") or [])
    lacking = {ids: (names, security_groups.lacking(ids, read)) for ids, names in _efa_sets(variables).items()}
    return {security_groups.sentence(names, ids, ways): names for ids, (names, ways) in lacking.items() if ways}


def _efa_sets(variables: Variables) -> dict[tuple[str, ...], list[str]]:
    """Instance groups of which EC2 says that their nodes have EFA devices, by the security groups of these nodes."""
    of_cluster = plain(variables["hyperpod_run"]["cluster"])
    found: dict[tuple[str, ...], list[str]] = {}
    for group in of_cluster["groups"]:
        own = of_cluster["security_groups"] if group["security_groups"] is None else group["security_groups"]
        if own and _expected(variables, group["instance_type"])["efa_devices"]:
            found.setdefault(tuple(own), []).append(group["name"])
    return found


@dataclass(frozen=True)
class Report:
    """Of all clusters of the run."""

    lines: list[str]
    files: list[dict[str, str]]
    """``path``, ``content`` and ``mode``."""


def report(variables: Variables) -> Report:
    document = _document(variables)
    forms_by_option: dict[str, t.Callable[[of_fleet.Document], str]] = {
        "accelerator_health_json": json_text,
        "accelerator_health_html": page,
        "accelerator_health_junit": forms.to_junit,
        "accelerator_health_prometheus": forms.to_prometheus,
    }
    wanted = [(_path(variables, option), form) for option, form in forms_by_option.items() if variables[option]]
    return Report(forms.lines(document), [{"path": path, "content": form(document), "mode": _mode(form)} for path, form in wanted])


def _mode(form: t.Callable[[of_fleet.Document], str]) -> str:
    """Metrics are for another program, which runs under another account."""
    return "0644" if form is forms.to_prometheus else "0600"


@dataclass(frozen=True)
class Told:
    """Of the current cluster."""

    findings: Findings
    reported: dict[str, t.Any]
    """For a repair: its nodes as the report has them, and what many of them have in common."""


def told(variables: Variables) -> Told:
    key, document = variables["inventory_hostname"], _document(variables)
    found = findings.findings(document, key, str(variables["accelerator_health_result"]))
    common = [each for each in document["common"] if each["cluster"] == key]
    return Told([each.to_result() for each in found], {"nodes": document["clusters"][key]["nodes"], "common": common})


def _document(variables: Variables) -> of_fleet.Document:
    hostvars, asked = variables["hostvars"], {*variables["ansible_play_hosts_all"]}
    clusters = [_cluster(host, hostvars[host]) for host in variables["groups"][fleet.CLUSTERS] if host in asked]
    before = _before(_path(variables, "accelerator_health_json"))
    return of_fleet.document(
        clusters, created=iso_now(), before=before, not_read=plain(variables.get("hyperpod_inventory_failures", []))
    )


def _cluster(host: str, variables: Variables) -> of_fleet.Cluster:
    rows = plain(variables.get(PART))
    return of_fleet.Cluster(
        key=host,
        arn=str(variables["hyperpod_cluster_arn"]),
        account=str(variables["hyperpod_account_id"]),
        region=str(variables["hyperpod_region"]),
        nodes=tuple(of_fleet.Node(**each) for each in (rows or {}).get("nodes") or ()),
        set_up=(rows or {}).get("set_up") or {},
        slurm_asked=(rows or {}).get("slurm_asked", True),
        failure="" if rows is not None else "It failed, or was left out, before its nodes could be looked at.",
    )


@dataclass(frozen=True)
class Others:
    """What was told of the nodes by others."""

    slurm: t.Mapping[str, slurm_states.State]
    """By address."""
    kubernetes: t.Mapping[str, kubernetes_states.Told]
    """By instance ID."""
    failure: str
    """Why nodes were not looked at through Kubernetes."""


def _kubernetes(variables: Variables) -> t.Any:
    """What the module returned on the cluster's host; None for a cluster without EKS."""
    return _now(variables, JOBS, variables)


def _failure(kubernetes: t.Any) -> str:
    return line(kubernetes.get("msg")) if isinstance(kubernetes, t.Mapping) and kubernetes.get("failed") else ""


def _node(node: Variables, variables: Variables, listed: Variables, others: Others, access: Variables) -> dict[str, t.Any]:
    iid = str(node["hyperpod_instance_id"])
    of_hyperpod = listed.get(iid, {})
    ip = str(of_hyperpod.get("ip") or "")
    status = str(of_hyperpod.get("status") or "not listed")
    asked = _asked(_expected(variables, str(node["hyperpod_instance_type"])))
    of_slurm = others.slurm.get(ip, slurm_states.NOTHING)
    in_pod = others.kubernetes.get(iid, kubernetes_states.NOTHING)
    said = _now(node, SEEN, variables) or in_pod.health
    health = health_of(said)
    why = others.failure or in_pod.why or _why_not(node, said, access.get(iid) or {})
    return {
        "instance_id": iid,
        "host": str(node["inventory_hostname"]),
        "instance_group": str(node["hyperpod_instance_group"]),
        "instance_type": str(node["hyperpod_instance_type"]),
        "node_type": str(node.get("hyperpod_node_type") or ""),
        "private_ip": ip,
        "hyperpod": status,
        "hyperpod_message": line(of_hyperpod.get("message")),
        "service": service.acting(status, of_slurm, in_pod.known),
        "slurm": of_slurm.state,
        "slurm_reason": of_slurm.reason,
        "jobs": of_slurm.jobs or in_pod.pods,
        "kubernetes": in_pod.known,
        "asked": asked,
        "health": health,
        "not_read": why if asked and health is None else "",
    }


def _why_not(node: Variables, said: t.Any, access: t.Mapping[str, t.Any]) -> str:
    if said:
        return "What it returned is no verdict."
    if (node.get("hyperpod_run") or {}).get("reached", False):
        return "The look at it failed."
    return str(access.get("reason") or "It was not reached.")


def _now(node: Variables, fact: str, cluster: Variables) -> t.Any:
    """What the node returned to this look; None for what it returned to an earlier one."""
    kept = node.get(fact)
    return plain(kept["told"]) if kept and kept["look"] == cluster.get(LOOK) else None


def _slurm(variables: Variables) -> dict[str, slurm_states.State] | None:
    """By address, as controllers told; None where none did."""
    answers = [each for each in (_now(node, SLURM, variables) for node in _nodes(variables)) if each]
    return {address: state for each in answers for address, state in slurm_states.states(each).items()} if answers else None


def _nodes(variables: Variables) -> list[Variables]:
    hosts = variables["groups"][variables["hyperpod_cluster_group"]]
    return [variables["hostvars"][host] for host in hosts if host != variables["inventory_hostname"]]


def _addresses(variables: Variables, own: str) -> list[str]:
    groups = variables["groups"]
    if variables["inventory_hostname"] not in groups.get(fleet.CONTROLLERS, ()):
        return []
    return [each["ip"] for each in plain(variables["hostvars"][own].get(NODES) or ()) if each["ip"]]


def _expected(cluster: Variables, instance_type: str) -> dict[str, int | None]:
    rows = plain(cluster.get(TYPES) or [])
    found: Variables = next((row for row in rows if row["name"] == instance_type and row["known"]), {})
    counts = {name: found.get(name) for name in DEVICES}
    some = counts["efa_devices"] and not instance_type.startswith(WITH_ALL_EFA)
    return {**counts, "efa_devices": None} if some else counts


def _asked(expected: t.Mapping[str, int | None]) -> bool:
    """A type with EFA alone is none with accelerators."""
    return expected["gpus"] != 0 or expected["neuron_devices"] != 0


def _path(variables: Variables, option: str) -> str:
    return os.path.join(variables["hyperpod_state_dir"], variables[option])


def _before(path: str) -> of_fleet.Document | None:
    """The document of the last run from this controller; None where there is none that can be read."""
    try:
        found = json.loads(Path(path).expanduser().read_text(encoding="utf-8"))
        return found if found["schema"] == of_fleet.SCHEMA else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


VIEWS = (declared, look, types, efa_groups, node, nccl, jobs, hooks, cluster, report, told)
