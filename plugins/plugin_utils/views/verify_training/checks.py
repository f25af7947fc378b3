# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks that precede the training jobs. Each view of a check returns the cluster's checks so far, including its own."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import CHECK_MODE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, NOT_RUN, PASSED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.answers import outcome as nccl_outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training import checks as of_checks
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import ACCESS, HEALTH, NCCL, NODES, SKIPPED, Check
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import line

from .. import Variables, view
from .cluster import is_plain, strangers
from .nodes import chosen, images

CHECKS = "__verify_training_checks"
"""The fact of a cluster's inventory host with its checks so far."""
READ = {NODES: "__verify_training_nodes_read", HEALTH: "__verify_training_health_read", NCCL: "__verify_training_nccl_read"}
"""Variables with the results of modules, keyed by check."""
OPTIONS = {HEALTH: "verify_training_health", NCCL: "verify_training_nccl"}
IN_CHECK_MODE = "Check mode starts no Pods."


def made(variables: Variables) -> tuple[Check, ...]:
    return tuple(of_checks.check_of(each) for each in plain(variables.get(CHECKS) or []))


def stopped(variables: Variables) -> bool:
    """Whether no job must start: there are no nodes, the check of nodes or hardware failed, or a model can't be downloaded."""
    failed = any(each.verdict == FAILED for each in made(variables) if each.name != NCCL)
    no_access = any(each.verdict != PASSED for each in made(variables) if each.name == ACCESS)
    return not chosen(variables).nodes or failed or no_access


@dataclass(frozen=True)
class Nodes:
    """The nodes, as options of ``training_node_info`` and ``price_info``."""

    nodes: list[str]
    instance_type: str
    gpus: int
    efa_devices: int
    images: list[str]
    planned: list[dict[str, t.Any]]


@view
def nodes(variables: Variables) -> Nodes | None:
    """The nodes; None if no nodes can be chosen."""
    found = chosen(variables)
    if found.why:
        return None
    kind = {"kind": "ec2_instance"} if is_plain(variables) else {}
    planned = [{**kind, "instance_type": found.instance_type, "count": len(found.nodes)}]
    return Nodes(found.names, found.instance_type, found.gpus, found.efa_devices or 0, [*images(variables).values()], planned)


@view
def nodes_checked(variables: Variables) -> list[dict[str, t.Any]]:
    returned = plain(variables[READ[NODES]])
    found = returned.get("training_nodes")
    check = of_checks.of_nodes(found) if found else of_checks.no_answer(NODES, why(returned))
    selected = plain(variables["verify_training_groups"]) or plain(variables["verify_training_nodes"])
    differing = [f"{each.name}: {text}" for each in chosen(variables).nodes for text in each.differs]
    return _with(variables, of_checks.of_instances(check, differing, [] if selected else strangers(variables)))


def software(variables: Variables) -> dict[str, list[str]]:
    """The drivers and architectures of the nodes, and what the images require. Values that are not known are empty."""
    found = plain(variables.get(READ[NODES]) or {}).get("training_nodes") or {}
    rows, of_images = found.get("nodes") or [], found.get("images") or []
    required = [f"{each['minimum_driver']} for CUDA {each['cuda']}" if each["cuda"] else "" for each in of_images]
    values = {"driver": [each["driver"] for each in rows], "architecture": [each["architecture"] for each in rows]}
    return {name: list(dict.fromkeys(map(line, each))) for name, each in {**values, "minimum_driver": required}.items()}


@view
def left_out(variables: Variables) -> list[str]:
    """Kubernetes names of nodes that are not idle. Empty if training jobs may also run on such nodes."""
    found = plain(variables[READ[NODES]]).get("training_nodes") or {}
    return list(found.get("left_out") or [])


@view
def health(variables: Variables) -> list[dict[str, t.Any]]:
    """The nodes whose health is checked, as options of ``accelerator_jobs``."""
    found = chosen(variables)
    if stopped(variables) or _skipped(variables, HEALTH):
        return []
    expected = {"expected_gpus": found.gpus, **({} if found.efa_devices is None else {"expected_efa_devices": found.efa_devices})}
    return [
        {"instance_id": each.instance_id, "node": each.name, "instance_type": found.instance_type, **expected}
        for each in found.nodes
    ]


@view
def health_checked(variables: Variables) -> list[dict[str, t.Any]]:
    returned = plain(variables[READ[HEALTH]])
    rows = returned.get("nodes")
    skipped = _skipped(variables, HEALTH) or (_planned(variables, HEALTH) if rows else None)
    return _with(variables, skipped or (of_checks.of_health(rows) if rows else _failed(HEALTH, returned)))


@dataclass(frozen=True)
class Nccl:
    """The options of ``nccl_jobs``."""

    instance_ids: list[str]
    nodes: list[str]
    instance_type: str
    gpus: int
    efa: bool


@view
def nccl(variables: Variables) -> Nccl | None:
    """The options; None if the bandwidth is not measured."""
    found = chosen(variables)
    if stopped(variables) or _skipped(variables, NCCL):
        return None
    return Nccl(list(found.instance_ids), found.names, found.instance_type, found.gpus, found.efa)


@view
def nccl_checked(variables: Variables) -> list[dict[str, t.Any]]:
    returned = plain(variables[READ[NCCL]])
    answer = returned.get("nccl_test")
    foreseen = bool(answer) and answer.get("failure") == CHECK_MODE
    skipped = _skipped(variables, NCCL) or (_planned(variables, NCCL) if foreseen else None)
    if skipped or not answer:
        return _with(variables, skipped or _failed(NCCL, returned))
    return _with(variables, of_checks.of_nccl(nccl_outcome(chosen(variables).instance_ids, answer)))


def would_create(variables: Variables) -> dict[str, list[dict[str, str]]]:
    """The objects that each check would create, in check mode."""
    found = {name: plain(variables.get(READ[name]) or {}).get("would_create") for name in (HEALTH, NCCL)}
    return {name: list(rows) for name, rows in found.items() if rows}


def _skipped(variables: Variables, name: str) -> Check | None:
    """The check as skipped, if it is not requested or does not apply; otherwise None."""
    option = OPTIONS[name]
    if not boolean(variables[option], strict=False):
        return Check(name, SKIPPED, f"Not requested by {option}.")
    if name == NCCL and len(chosen(variables).nodes) == 1:
        return Check(name, SKIPPED, "A single node has no other node to exchange data with.")
    return None


def _planned(variables: Variables, name: str) -> Check | None:
    """The check as not run in check mode; otherwise None."""
    return Check(name, NOT_RUN, IN_CHECK_MODE) if variables.get("ansible_check_mode") else None


def _failed(name: str, returned: Variables) -> Check:
    """The check as failed; or, if an earlier check did not pass, as not run."""
    if returned.get("skipped"):
        return Check(name, NOT_RUN, "An earlier check did not pass.")
    return of_checks.no_answer(name, why(returned))


def _with(variables: Variables, check: Check) -> list[dict[str, t.Any]]:
    return [each.to_task() for each in (*made(variables), check)]


def why(returned: Variables) -> str:
    return printable(str(returned.get("msg") or "The module returned nothing.").partition("\n")[0])
