# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of the last run of each playbook on each cluster, across runs. Reports and texts in, texts out."""

from __future__ import annotations

import collections
import contextlib
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE, NOTE, PENDING
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import LOCK_HELD
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import CERTIFICATES, STATUSES

from .text import Family, parsed, rendered

Report = t.Mapping[str, t.Any]
"""The report of a run, as in ``report.json``."""
KEPT_SECONDS = 30 * 86400
"""How long a series stays without a run that renews it."""
SUCCESS = ("unchanged", "changed")
_BY_PLAYBOOK, _BY_CERTIFICATE = ("cluster", "playbook"), ("cluster", "certificate")
_NUMBERS = ", ".join(f"{number} {name}" for number, name in enumerate(STATUSES))
STATUS = Family("last_run_status", f"Last run: {_NUMBERS}.", _BY_PLAYBOOK)
ENDED = Family("last_run_timestamp_seconds", "When the last run ended.", _BY_PLAYBOOK)
FINDINGS = Family("last_run_findings", "Findings of the last run by kind.", (*_BY_PLAYBOOK, "kind"))
SUCCEEDED = Family("last_success_timestamp_seconds", "When the last run without failures and pending findings ended.", _BY_PLAYBOOK)
NOT_READ = Family("last_run_inventory_failures", "Parts of the inventory that the last run could not read.", ("playbook",))
EXPIRY = Family("certificate_expiry_timestamp_seconds", "When the certificate expires.", _BY_CERTIFICATE)
READ = Family("certificate_read_timestamp_seconds", "When a run last read the certificate.", _BY_CERTIFICATE)
OF_RUNS, OF_CERTIFICATES = (STATUS, ENDED, FINDINGS, SUCCEEDED), (EXPIRY, READ)
FAMILIES = (*OF_RUNS, NOT_READ, *OF_CERTIFICATES)
_TIMES = (ENDED, SUCCEEDED, READ)
State = dict[Family, dict[tuple[str, ...], int]]


def with_run(text: str, report: Report) -> str:
    """The content of the metrics file after a run.

    :param text: the content before the run. Its other lines, and times in the future, are dropped.
    """
    now = int(moment_of(report["ended"]).timestamp())
    state = parsed(text, FAMILIES)
    for family in _TIMES:
        state[family] = {labels: value for labels, value in state[family].items() if value <= now}
    for key, cluster in report["clusters"].items():
        if _checked(cluster):
            _add_run(state, key, str(report["playbook"]), _result(report, cluster), now)
        _add_certificates(state, key, cluster.get("certificates") or {}, now)
    state[NOT_READ][str(report["playbook"]),] = len(report["inventory_failures"])
    kept = _fresh(state, str(report["playbook"]), now)
    return rendered({family: dict(sorted(samples.items())) for family, samples in kept.items()})


def _checked(cluster: t.Mapping[str, t.Any]) -> bool:
    """Whether the run was for this cluster. The clusters of the inventory that a run does not select are reported as skipped."""
    return cluster["status"] != "skipped" or any(each["code"] == LOCK_HELD for each in cluster["findings"])


def _result(report: Report, cluster: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
    """The cluster's result. Of a run that ended early, it is unknown what the remaining steps would have found."""
    return {**cluster, "status": "failed"} if report["interrupted"] else cluster


def _add_run(state: State, key: str, playbook: str, cluster: t.Mapping[str, t.Any], now: int) -> None:
    kinds = collections.Counter(each["kind"] for each in cluster["findings"])
    state[STATUS][key, playbook] = STATUSES.index(cluster["status"])
    state[ENDED][key, playbook] = now
    for kind in (FAILURE, PENDING, NOTE):
        state[FINDINGS][key, playbook, kind] = kinds[kind]
    if cluster["status"] in SUCCESS:
        state[SUCCEEDED][key, playbook] = now


def _add_certificates(state: State, key: str, certificates: t.Mapping[str, str], now: int) -> None:
    for name in CERTIFICATES:
        with contextlib.suppress(KeyError, ValueError, OverflowError):  # nodes report the times of host certificates
            state[EXPIRY][key, name] = max(0, int(moment_of(certificates[name]).timestamp()))
            state[READ][key, name] = now


def _fresh(state: State, playbook: str, now: int) -> State:
    """The series that a run of the last days has renewed, so that clusters that no longer exist are removed after a while."""
    runs = {labels for labels, time in state[ENDED].items() if now - time <= KEPT_SECONDS}
    read = {labels for labels, time in state[READ].items() if now - time <= KEPT_SECONDS}
    playbooks = {playbook, *(name for _key, name in runs)}
    kept: State = {}
    for families, known in ((OF_RUNS, runs), (OF_CERTIFICATES, read)):
        kept |= {family: {each: value for each, value in state[family].items() if each[:2] in known} for family in families}
    kept[NOT_READ] = {each: value for each, value in state[NOT_READ].items() if each[0] in playbooks}
    return {family: kept[family] for family in FAMILIES}
