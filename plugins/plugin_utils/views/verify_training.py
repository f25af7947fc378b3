# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role verify_training need."""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import node_name
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import CHECK_MODE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.options import SPEC
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, NOT_RUN, PASSED, UNPROVEN
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import verify_training as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training import report as of_report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.api_server import ApiServer, api_server
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from . import Variables, view
from .accelerator_health import seen as of_types

READ = "__verify_training_types"
TYPES, CHECKPOINT, RESULTS, JOB, OUTCOME = (
    f"__verify_training_{name}" for name in ("types_seen", "checkpoint", "results", "job", "outcome")
)
"""Facts of the host of a cluster, and what the module returned last."""
OWN_NAMESPACE = str(SPEC["namespace"]["default"])
NO_ANSWER = "module-failed"


@view
def refusals(variables: Variables) -> Findings:
    known = variables["hostvars"][variables["inventory_hostname"]]
    return refused(rules.offline(variables, known))


@view
def server(variables: Variables) -> ApiServer:
    return api_server(variables, kubeconfig=variables["verify_training_kubeconfig"], context=variables["verify_training_context"])


@view
def types(variables: Variables) -> list[str]:
    return sorted({str(each["hyperpod_instance_type"]) for each in _candidates(variables)})


@view
def devices(variables: Variables) -> list[dict[str, t.Any]]:
    """Of the instance types, as ``instance_type_info`` returned them; none if there are no nodes."""
    return list(plain(variables[READ]).get("instance_types") or [])


@view
def checkpoint(variables: Variables) -> str:
    """Name of the directory that all jobs of this run use."""
    return f"{str(variables['hyperpod_cluster_id']).lower()}-{iso_now().lower().replace(':', '-')}"


def _candidates(variables: Variables) -> list[Variables]:
    """Nodes that may be meant, of any type."""
    groups, ids = plain(variables["verify_training_groups"]), plain(variables["verify_training_nodes"])
    nodes = [each for each in of_types.nodes(variables) if not groups or each["hyperpod_instance_group"] in groups]
    return [each for each in nodes if not ids or each["hyperpod_instance_id"] in ids]


@dataclass(frozen=True)
class Chosen:
    """Nodes that train, with the devices of their type."""

    why: str
    """Why none can be chosen; empty if they are."""
    nodes: tuple[str, ...] = ()
    """Names in Kubernetes."""
    instance_type: str = ""
    gpus: int = 0
    efa: bool = False


def _chosen(variables: Variables) -> Chosen:
    rows = plain(variables[TYPES])
    of_type: dict[str, list[str]] = {}
    for each in _candidates(variables):
        of_type.setdefault(str(each["hyperpod_instance_type"]), []).append(node_name(str(each["hyperpod_instance_id"])))
    counts = {name: of_types.devices(rows, name) for name in of_type}
    unknown = sorted(name for name, each in counts.items() if each["gpus"] is None)
    if unknown:
        return Chosen(f"The number of GPUs of {', '.join(unknown)} is not known.")
    with_gpus = sorted(name for name, each in counts.items() if each["gpus"])
    known = {str(each["hyperpod_instance_id"]) for each in _candidates(variables)}
    missing = sorted({*plain(variables["verify_training_nodes"])} - known)
    groups = {str(each["name"]) for each in plain(variables["hyperpod_instance_groups"])}
    named = {*plain(variables["verify_training_groups"])} - groups
    if named:
        return Chosen(f"The cluster has no instance group {', '.join(sorted(map(printable, named)))}.")
    if missing:
        return Chosen(f"The cluster, or its instance groups that are chosen, have no node {', '.join(map(printable, missing))}.")
    if not with_gpus:
        return Chosen("No node with GPUs exists, or none was chosen. A group without nodes is not verified.")
    without = sorted(each for name, nodes in of_type.items() if name not in with_gpus for each in nodes)
    if without and plain(variables["verify_training_nodes"]):
        return Chosen(f"Nodes that were chosen have no GPUs: {', '.join(without)}.")
    if len(with_gpus) > 1:
        names = ", ".join(with_gpus)
        return Chosen(f"The nodes have different instance types ({names}). Choose groups of one type with verify_training_groups.")
    (name,) = with_gpus
    gpus, efa = counts[name]["gpus"], counts[name]["efa_devices"]
    return Chosen("", tuple(sorted(of_type[name])), name, int(gpus or 0), bool(efa))


@dataclass(frozen=True)
class Job:
    """As ``training_job`` takes it."""

    nodes: list[str]
    gpus: int
    efa: bool
    namespace: str
    checkpoint: str | None
    steps: int
    resume_from: int
    checkpoint_every: int
    kill: bool


@view
def coming(variables: Variables) -> Job | None:
    """The job to run now; None if there is none."""
    chosen, results = _chosen(variables), _results(variables)
    claim, steps = bool(variables["verify_training_claim"]), int(variables["verify_training_steps"])
    wanted = of_report.wanted(resumes=claim, survives=rules.kills(variables))
    if chosen.why or len(results) >= len(wanted) or any(each["verdict"] != PASSED for each in results):
        return None
    return Job(
        nodes=list(chosen.nodes),
        gpus=chosen.gpus,
        efa=chosen.efa,
        namespace=str(variables["verify_training_namespace"]) or OWN_NAMESPACE,
        checkpoint=str(variables[CHECKPOINT]) if claim else None,
        steps=steps * (len(results) + 1),
        resume_from=steps * len(results),
        checkpoint_every=max(steps // 2, 1),
        kill=wanted[len(results)] == of_report.SURVIVE,
    )


@view
def results(variables: Variables) -> list[dict[str, t.Any]]:
    """With that of the job that ran last. A module that failed returns none."""
    answer = plain(variables.get(JOB) or {})
    why = printable(str(answer.get("msg") or "").partition("\n")[0])
    failed = {"verdict": NOT_RUN, "failure": NO_ANSWER, "text": why, "problems": []}
    return [*_results(variables), dict(answer.get("training_job") or {**_NOTHING, **failed})]


_NOTHING: dict[str, t.Any] = {
    "losses": [], "checkpoints": [], "dtypes": [], "nodes": [], "carried_by": "", "weights": "not_read",
    **dict.fromkeys(("first_step", "first_loss", "last_loss", "validation", "tokens_per_second")),
}


def _results(variables: Variables) -> list[dict[str, t.Any]]:
    return list(plain(variables.get(RESULTS) or []))


@dataclass(frozen=True)
class Report:
    """Of all clusters of the run."""

    lines: Printed
    files: list[dict[str, str]]
    """``path``, ``content`` and ``mode``."""


@view
def outcome(variables: Variables) -> dict[str, t.Any]:
    """Of this cluster, for the report on all clusters."""
    return of_report.of_cluster(_cluster(variables))


@view
def report(variables: Variables) -> Report:
    run = {*variables["ansible_play_hosts_all"]}
    hosts = [host for host in variables["groups"][fleet.CLUSTERS] if host in run]
    clusters = {host: _outcome(variables["hostvars"][host]) for host in hosts}
    failures = plain(variables.get("hyperpod_inventory_failures", []))
    document = of_report.document(clusters, created=iso_now(), not_read=failures)
    path = str(variables["verify_training_json"])
    file = {"path": os.path.join(variables["hyperpod_state_dir"], path), "content": json_text(document), "mode": "0600"}
    return Report(printed(of_report.lines(document)), [file] if path else [])


@view
def reports(variables: Variables) -> bool:
    """Whether this host writes the report on all clusters: the first one that has not failed."""
    done = [host for host in variables["ansible_play_hosts"] if variables["hostvars"][host].get(OUTCOME)]
    return done[:1] == [variables["inventory_hostname"]]


def _outcome(known: Variables) -> dict[str, t.Any]:
    """Of a cluster that failed before it trained: that it was not verified."""
    arn, account, region = (str(known.get(f"hyperpod_{name}", "")) for name in ("cluster_arn", "account_id", "region"))
    failed = of_report.Cluster(arn, account, region, instance_type="", results=(), resumes=False, why="It failed before that.")
    return dict(plain(known.get(OUTCOME)) or of_report.of_cluster(failed))


@view
def found(variables: Variables) -> Findings:
    """Of this cluster."""
    cluster = _cluster(variables)
    if cluster.why:
        return finding("training-not-verified", why=cluster.why)
    shown: Findings = []
    for result in cluster.results:
        shown += _of_job(result)
    for problems in of_report.continued(cluster.results).values():
        for each in problems:
            shown += _of_problem(each.code, each.text)
    if not cluster.resumes and cluster.results[0]["failure"] != CHECK_MODE:
        shown += finding("training-not-resumed")
    return shown


def _of_job(result: of_report.Result) -> Findings:
    if result["failure"] == CHECK_MODE:
        return finding("training-planned", figures=result["text"])
    if result["verdict"] == PASSED:
        return finding("training-passed", figures=result["text"])
    if result["failure"] or result["verdict"] != FAILED:
        return finding("training-not-verified", why=result["text"])
    return [each for one in result["problems"] for each in _of_problem(one["code"], one["text"])]


def _of_problem(code: str, text: str) -> Findings:
    if code in UNPROVEN:
        return finding("training-not-verified", why=text)
    return finding("training-failed", problem=code, why=text)


def _cluster(variables: Variables) -> of_report.Cluster:
    chosen = _chosen(variables)
    return of_report.Cluster(
        arn=str(variables["hyperpod_cluster_arn"]),
        account=str(variables["hyperpod_account_id"]),
        region=str(variables["hyperpod_region"]),
        instance_type=chosen.instance_type,
        results=tuple(_results(variables)),
        resumes=bool(variables["verify_training_claim"]),
        survives=rules.kills(variables),
        why=chosen.why,
    )
