# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on all clusters, and the findings about each cluster."""

from __future__ import annotations

import datetime
import os
import typing as t
from dataclasses import dataclass, replace

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE, NOTE, PENDING
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.images import patches_end
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import CHECK_MODE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, PASSED, UNPROVEN
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.model import NONE_IDLE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import training_clusters
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training import compared, report as of_report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import ACCESS, BEFORE, SKIPPED, UNANSWERED, Check
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.junit import to_junit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.lines import lines
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page import page
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.earlier import earlier
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from .checks import software
from .cluster import account_of, arn_of
from .jobs import cluster_of, wanted_of
from .nodes import chosen, images

FORMS: dict[str, t.Callable[[of_report.Document], str]] = {
    "verify_training_json": json_text,
    "verify_training_html": page,
    "verify_training_junit": to_junit,
}
"""The functions that write the report's files, keyed by the option that names the file."""
OUTCOME, PRICE = "__verify_training_outcome", "__verify_training_price"
"""The fact of a cluster's inventory host with the outcome, and the variable with the result of ``price_info``."""


@dataclass(frozen=True)
class Report:
    """The report on all clusters of the run."""

    lines: Printed
    files: list[dict[str, str]]
    """The ``path``, ``content`` and ``mode`` of each file. Empty in check mode, which must not replace the last report."""


@view
def outcome(variables: Variables) -> dict[str, t.Any]:
    """The outcome of this cluster, for the report on all clusters.

    It is compared with the last run now, because the report of the last run is replaced later.
    """
    before = _before(variables).get(variables["inventory_hostname"])
    return of_report.of_cluster(_cluster(variables), created=iso_now(), before=before)


@view
def report(variables: Variables) -> Report:
    run, created = {*variables["ansible_play_hosts_all"]}, iso_now()
    without_hyperpod = training_clusters.hosts(variables["groups"], variables["hostvars"])
    hosts = [host for host in (*variables["groups"].get(fleet.CLUSTERS, ()), *without_hyperpod) if host in run]
    clusters = {host: _outcome(variables["hostvars"][host], created) for host in hosts}
    failures = plain(variables.get("hyperpod_inventory_failures", []))
    document = of_report.document(clusters, created=created, not_read=failures, before=_before(variables))
    wanted = [(_path(variables, option), form) for option, form in FORMS.items() if variables[option]]
    files = [{"path": path, "content": form(document), "mode": "0600"} for path, form in wanted]
    return Report(printed(lines(document)), [] if variables.get("ansible_check_mode") else files)


@view
def reports(variables: Variables) -> bool:
    """Whether this host writes the report on all clusters. The first host that has not failed does."""
    done = [host for host in variables["ansible_play_hosts"] if variables["hostvars"][host].get(OUTCOME)]
    return done[:1] == [variables["inventory_hostname"]]


def _before(variables: Variables) -> dict[str, compared.Measured]:
    return compared.measured_before(earlier(_path(variables, "verify_training_json"), of_report.SCHEMA))


def _path(variables: Variables, option: str) -> str:
    return os.path.join(variables.get("hyperpod_state_dir") or training_clusters.STATE_DIR, str(variables[option]))


def _outcome(known: Variables, created: str) -> dict[str, t.Any]:
    """The outcome of a cluster. A cluster that failed before its training jobs counts as not verified."""
    arn, account, region = arn_of(known), account_of(known), str(known.get("hyperpod_region", ""))
    why = "The run failed for this cluster before its training jobs. The findings of the run have the reason."
    failed = of_report.Cluster(arn, account, region, instance_type="", results=(), resumes=False, why=why)
    return dict(plain(known.get(OUTCOME)) or of_report.of_cluster(failed, created=created))


@view
def announced(variables: Variables) -> Printed:
    """Lines to print before anything runs: the nodes, their price, and the longest duration of each job."""
    found = chosen(variables)
    own = [name for name in wanted_of(variables) if name != of_report.FINE_TUNE]
    count, gpus = len(found.nodes), f"{found.gpus} GPU{'' if found.gpus == 1 else 's'}"
    where = f"{count} node{'' if count == 1 else 's'} of {found.instance_type}, with {gpus} each"
    jobs = "The job" if len(own) == 1 else f"Each of the {len(own)} jobs"
    limit = f"{jobs} has a deadline {_minutes(variables, 'timeout')} minutes after its creation."
    model = variables["verify_training_model"]
    last = f"The job that trains {model} has a deadline {_minutes(variables, 'model_timeout')} minutes after its creation."
    return printed([f"{where}: {_price(variables) or 'their price is unknown'}.", limit, *([last] if model else [])])


def _minutes(variables: Variables, timeout: str) -> int:
    """The longest duration of a job, rounded up."""
    return sum(int(variables[f"verify_training_{name}"]) for name in ("queue_timeout", "start_timeout", timeout)) // 60 + 1


@view
def found(variables: Variables) -> Findings:
    """The findings about this cluster."""
    cluster = _cluster(variables)
    if cluster.why:
        return finding("training-not-verified", why=cluster.why)
    shown = [each for check in of_report.checks(cluster) for each in _of_check(check)]
    for name, result in cluster.jobs.items():
        shown += _of_job(name, result)
    for problems in of_report.continued(cluster.jobs).values():
        for each in problems:
            shown += _of_problem(each.code, each.text)
    if not cluster.resumes and cluster.results and cluster.results[0]["failure"] != CHECK_MODE:
        shown += finding("training-not-resumed")
    return [*shown, *_unexplained(cluster, shown), *_of_groups(cluster), *_slower(variables), *_unpatched(variables)]


def _unexplained(cluster: of_report.Cluster, shown: Findings) -> Findings:
    """The failure if a check did not pass and no other finding explains it. Without it, the run would succeed."""
    left = next((each for each in of_report.checks(cluster) if each.verdict not in (PASSED, SKIPPED)), None)
    explained = any(each["kind"] == FAILURE or each["code"] in ("training-planned", "training-none-idle") for each in shown)
    return finding("training-not-verified", why=f"{left.name}: {left.text}") if left and not explained else []


def _of_groups(cluster: of_report.Cluster) -> Findings:
    """The findings about declared nodes that no job verifies, except nodes that the user left out."""
    messages = {PENDING: "training-nodes-missing", NOTE: "training-group-unverified"}
    return [
        each for one in cluster.unverified if one.step for each in finding(messages[one.kind], what=one.text, step=one.step)
    ]


def _slower(variables: Variables) -> Findings:
    """The finding if training is slower than in the last run, from the outcome. The last run's report has been replaced by now."""
    found = (plain(variables.get(OUTCOME)) or {}).get("compared")
    return finding("training-slower", **compared.slowdown(found)) if found and found["slower"] else []


def _unpatched(variables: Variables) -> Findings:
    today = datetime.date.fromisoformat(iso_now()[:10])
    ends = (patches_end(image, today, variable) for variable, image in images(variables).items())
    return [each for why in ends if why for each in finding("training-image-unpatched", why=why)]


def _of_check(check: Check) -> Findings:
    """The findings about a check that precedes the jobs."""
    if check.name not in (ACCESS, *BEFORE):
        return []
    if [one.code for one in check.problems] == [NONE_IDLE]:
        return finding("training-none-idle")
    failed = {one for one in check.problems if check.verdict == FAILED and one.code not in UNANSWERED}
    return [
        each
        for one in check.problems
        for each in _of("training-failed" if one in failed else "training-not-verified", one.code, one.text)
    ]


def _of(code: str, problem: str, why: str) -> Findings:
    return finding(code, problem=problem, why=why) if code == "training-failed" else finding(code, why=why)


def _of_job(name: str, result: of_report.Result) -> Findings:
    if result["failure"] == CHECK_MODE:
        return finding("training-planned", figures=f"{name}: {result['text']}")
    if result["verdict"] == PASSED:
        return finding("training-passed", figures=result["text"])
    if result["failure"] or result["verdict"] != FAILED:
        return finding("training-not-verified", why=result["text"])
    return [each for one in result["problems"] for each in _of_problem(one["code"], one["text"])]


def _of_problem(code: str, text: str) -> Findings:
    return _of("training-not-verified" if code in UNPROVEN else "training-failed", code, text)


def _cluster(variables: Variables) -> of_report.Cluster:
    return replace(cluster_of(variables), price=_price(variables), software=software(variables))


def _price(variables: Variables) -> str:
    """The price per hour, as a line; empty if it is unknown."""
    found = plain(variables.get(PRICE) or {})
    return str(found["told"]) if found.get("total_per_hour") is not None else ""
