# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The states and results of the nodes of a cluster."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.load import QUIET, Asked
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import slurm_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import images, kubernetes_states, service
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.answers import health_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl import merge
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.answers import outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import Outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import line

from .. import Variables, view
from . import seen
from .efa import set_up


@dataclass(frozen=True)
class Cluster:
    health: list[dict[str, t.Any]]
    """The state and result of each node."""
    set_up: dict[str, list[str]]
    """Instance groups, keyed by the sentence about their setup problem, which is not on the nodes but in their security groups."""
    slurm_asked: bool
    nccl: list[dict[str, t.Any]]
    """The NCCL tests that ran, in the format of the report."""


@view
def cluster(variables: Variables) -> Cluster:
    slurm = seen.slurm(variables)
    access = plain((variables.get("hyperpod_run") or {}).get("node_access") or {})
    listed = {each["instance_id"]: each for each in plain(variables.get(seen.NODES) or ())}
    kubernetes = _kubernetes(variables)
    others = Others(slurm or {}, kubernetes_states.states(kubernetes), _failure(kubernetes), _groups(variables))
    nodes = [_node(each, variables, listed, others, access) for each in seen.nodes(variables)]
    queried = slurm is not None or kubernetes is not None
    done = _tests_of_nccl(variables)
    tested = _with_nccl(nodes, done, variables) if kubernetes is None else _without_load(nodes, variables)
    return Cluster(tested, set_up(variables), queried, [each.to_report() for each in done])


def _tests_of_nccl(variables: Variables) -> list[Outcome]:
    tests = [each for node in seen.nodes(variables) for each in seen.now(node, seen.NCCL, variables) or ()]
    return [outcome(each["ids"], each["answer"]) for each in tests]


def _with_nccl(nodes: list[dict[str, t.Any]], done: t.Sequence[Outcome], variables: Variables) -> list[dict[str, t.Any]]:
    if not _requests_nccl(variables):
        return nodes
    check = bool(variables.get("ansible_check_mode"))
    return merge.merged(nodes, done, with_gpus=_with_gpus(nodes, variables), slurm=seen.slurm(variables), check=check)


def _without_load(nodes: list[dict[str, t.Any]], variables: Variables) -> list[dict[str, t.Any]]:
    """The nodes of an EKS cluster, with a remark for each requested load test, because load tests run on Slurm clusters only."""
    level = Asked(int(variables.get("accelerator_health_dcgm_level", QUIET)))
    names = [*([level.name] if level.level > QUIET else []), *(["NCCL"] if _requests_nccl(variables) else [])]
    unseen = [{"what": name, "why": "the playbook verify runs this test on Slurm clusters only"} for name in names]
    with_gpus = _with_gpus(nodes, variables)
    return [
        {**each, "health": {**each["health"], "not_looked_at": [*each["health"]["not_looked_at"], *unseen]}}
        if each["health"] and each["instance_type"] in with_gpus
        else each
        for each in nodes
    ]


def _requests_nccl(variables: Variables) -> bool:
    return boolean(variables.get("accelerator_health_nccl", False), strict=False)


def _with_gpus(nodes: t.Sequence[t.Mapping[str, t.Any]], variables: Variables) -> set[str]:
    return {each["instance_type"] for each in nodes if seen.expected(variables, each["instance_type"])["gpus"]}


@dataclass(frozen=True)
class Others:
    """The states of the nodes outside the check itself."""

    slurm: t.Mapping[str, slurm_states.State]
    """States in Slurm, keyed by address."""
    kubernetes: t.Mapping[str, kubernetes_states.State]
    """States in Kubernetes, keyed by instance ID."""
    failure: str
    """Why no node was checked through Kubernetes."""
    groups: t.Mapping[str, t.Mapping[str, t.Any]]
    """Instance groups, keyed by name, as AWS returns them."""


def _groups(variables: Variables) -> dict[str, t.Mapping[str, t.Any]]:
    return {each["name"]: each for each in plain(variables["hyperpod_run"]["cluster"])["groups"]}


def _kubernetes(variables: Variables) -> t.Any:
    """The result of the module on the cluster's inventory host; None for a cluster without EKS."""
    return seen.now(variables, seen.JOBS, variables)


def _failure(kubernetes: t.Any) -> str:
    return line(kubernetes.get("msg")) if isinstance(kubernetes, t.Mapping) and kubernetes.get("failed") else ""


def _node(node: Variables, variables: Variables, listed: Variables, others: Others, access: Variables) -> dict[str, t.Any]:
    iid = str(node["hyperpod_instance_id"])
    of_hyperpod = listed.get(iid, {})
    ip = str(of_hyperpod.get("ip") or "")
    status = str(of_hyperpod.get("status") or service.NOT_LISTED)
    has_accelerators = seen.has_accelerators(seen.expected(variables, str(node["hyperpod_instance_type"])))
    of_slurm = others.slurm.get(ip, slurm_states.NOTHING)
    in_pod = others.kubernetes.get(iid, kubernetes_states.NOTHING)
    returned = seen.now(node, seen.SEEN, variables) or in_pod.health
    health = health_of(returned)
    why = others.failure or in_pod.why or _why_not(node, returned, access.get(iid) or {})
    return {
        "instance_id": iid,
        "host": str(node["inventory_hostname"]),
        "instance_group": str(node["hyperpod_instance_group"]),
        "instance_type": str(node["hyperpod_instance_type"]),
        "node_type": str(node.get("hyperpod_node_type") or ""),
        "private_ip": ip,
        "image": images.image(of_hyperpod, others.groups.get(str(node["hyperpod_instance_group"]), {})),
        "hyperpod": status,
        "hyperpod_message": line(of_hyperpod.get("message")),
        "service": service.acting(status, of_slurm, in_pod.known),
        "slurm": of_slurm.state,
        "slurm_reason": of_slurm.reason,
        "jobs": of_slurm.jobs or in_pod.pods,
        "kubernetes": in_pod.known,
        "has_accelerators": has_accelerators,
        "health": health,
        "not_read": why if has_accelerators and health is None else "",
    }


def _why_not(node: Variables, returned: t.Any, access: t.Mapping[str, t.Any]) -> str:
    if returned:
        return "The node's result has no valid verdict."
    if (node.get("hyperpod_run") or {}).get("reached", False):
        return "The check failed on the node."
    return str(access.get("reason") or "The node could not be reached.")
