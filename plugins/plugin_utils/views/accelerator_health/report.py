# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on all clusters."""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import load
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import document as of_fleet, findings, forms, metrics
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page import page
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.earlier import earlier
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from . import seen


@dataclass(frozen=True)
class Report:
    """The report on all clusters of the run."""

    lines: Printed
    files: list[dict[str, str]]
    """The ``path``, ``content`` and ``mode`` of each file."""


@view
def report(variables: Variables) -> Report:
    document = _document(variables)
    forms_by_option: dict[str, t.Callable[[of_fleet.Document], str]] = {
        "accelerator_health_json": json_text,
        "accelerator_health_html": page,
        "accelerator_health_junit": forms.to_junit,
        "accelerator_health_prometheus": metrics.to_prometheus,
    }
    wanted = [(_path(variables, option), form) for option, form in forms_by_option.items() if variables[option]]
    files = [{"path": path, "content": form(document), "mode": _mode(form)} for path, form in wanted]
    return Report(printed(forms.lines(document)), files)


def _mode(form: t.Callable[[of_fleet.Document], str]) -> str:
    """The mode of a file. A program with a different account reads the metrics, so their file is readable by all."""
    return "0644" if form is metrics.to_prometheus else "0600"


@dataclass(frozen=True)
class Verdict:
    """The result of the current cluster."""

    findings: Findings
    reported: dict[str, t.Any]
    """Data for repairs: the cluster's nodes as in the report, their common problems, and the stamp of the check."""


@view
def verdict(variables: Variables) -> Verdict:
    key, document = variables["inventory_hostname"], _document(variables)
    result, look = str(variables["accelerator_health_result"]), variables.get(seen.LOOK)
    found = findings.findings(document, key, result)
    if not variables.get("ansible_check_mode"):
        found += findings.untested(document, key, _requested(variables))
    before = plain(variables.get(seen.REPORTED)) or {}
    if before.get("look") == look:
        found += findings.earlier(before.get("nodes", {}), found, result)
    common = [each for each in document["common"] if each["cluster"] == key]
    reported = {"nodes": document["clusters"][key]["nodes"], "common": common, "look": look}
    return Verdict([each.to_result() for each in found], reported)


def _requested(variables: Variables) -> dict[str, str]:
    """Codes of findings about requested load tests, keyed by the name of the test. A code applies if the test ran on no node."""
    level = load.Asked(int(variables.get("accelerator_health_dcgm_level", load.QUIET)))
    nccl = {"NCCL": "nccl-not-run"} if boolean(variables.get("accelerator_health_nccl", False), strict=False) else {}
    return {**nccl, **({level.name: "dcgm-not-run"} if level.level > load.QUIET else {})}


def _document(variables: Variables) -> of_fleet.Document:
    hostvars, in_play = variables["hostvars"], {*variables["ansible_play_hosts_all"]}
    clusters = [_cluster(host, hostvars[host]) for host in variables["groups"][fleet.CLUSTERS] if host in in_play]
    before = earlier(_path(variables, "accelerator_health_json"), of_fleet.SCHEMA)
    return of_fleet.document(
        clusters, created=iso_now(), before=before, not_read=plain(variables.get("hyperpod_inventory_failures", []))
    )


def _cluster(host: str, variables: Variables) -> of_fleet.Cluster:
    rows = plain(variables.get(seen.PART))
    return of_fleet.Cluster(
        key=host,
        arn=str(variables["hyperpod_cluster_arn"]),
        account=str(variables["hyperpod_account_id"]),
        region=str(variables["hyperpod_region"]),
        nodes=tuple(of_fleet.Node(**each) for each in (rows or {}).get("nodes") or ()),
        set_up=(rows or {}).get("set_up") or {},
        slurm_asked=(rows or {}).get("slurm_asked", True),
        nccl=(rows or {}).get("nccl") or (),
        failure="" if rows is not None else "The cluster failed or was skipped before its nodes could be checked.",
    )


def _path(variables: Variables, option: str) -> str:
    return os.path.join(variables["hyperpod_state_dir"], variables[option])
