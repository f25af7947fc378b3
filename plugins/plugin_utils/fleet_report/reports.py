# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reports of the store as values. Their content is untrusted, so a report with any unknown value counts as unreadable."""

from __future__ import annotations

import datetime
import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE, KINDS, PENDING, WARNING
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds, moment_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import CERTIFICATES, SCHEMA, STATUSES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.documents import CLUSTERS, RUNS, cluster_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import BROKEN, Unreadable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import entries, line, rows

OTHER_SCHEMA, OTHER_ACCOUNT, OTHER_CLUSTER, FUTURE = "schema", "account", "cluster", "future"
"""Kinds of unreadable reports, in addition to those of the report store."""
MOST_FINDINGS, MOST_FILES, LONGEST = 200, 100, 400
_CLOCKS = datetime.timedelta(minutes=10)
"""Maximum difference between the clocks of two control nodes."""
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z")


@dataclass(frozen=True)
class Report:
    """The report of one cluster and run."""

    key: str
    cluster: str
    verb: str
    started: str
    ended: str
    status: str
    check_mode: bool
    account: str
    arn: str
    findings: tuple[t.Mapping[str, str], ...]
    more_findings: int
    """Number of findings that are not in ``findings``."""
    changes: int
    certificates: t.Mapping[str, str]
    login: tuple[int, int] | None
    """The number of login nodes in service and of all login nodes; None if the run did not read them."""
    login_name: str
    controller: str
    interrupted: bool


@dataclass(frozen=True)
class Run:
    """The document of a run, for all of its clusters."""

    check_mode: bool
    statuses: t.Mapping[str, str]
    """By the key of the cluster's report."""
    files: tuple[str, ...]


def time_of(name: str) -> str:
    """The start of a run by its ``TIME-ID``; empty if that is not a time."""
    found = _TIME.match(name)
    return "{}-{}-{}T{}:{}:{}Z".format(*found.groups()) if found and _moment(name) else ""


def is_future(name: str, now: str) -> bool:
    """Whether the start of a run is later than now, or is not a time."""
    moment = _moment(name)
    return moment is None or moment > moment_of(now) + _CLOCKS


def report_of(key: str, raw: t.Any) -> Report | Unreadable:
    """The report of a cluster. It must say the same as its key."""
    problem = _problem(key, raw)
    if problem:
        return problem
    part, verb, _file = key.removeprefix(CLUSTERS).split("/")
    findings = rows(raw["findings"], MOST_FINDINGS)
    if raw.get("cluster") != cluster_of(part):
        return Unreadable(key, OTHER_CLUSTER, f"is the report of cluster {line(raw.get('cluster')) or 'unknown'}")
    if raw.get("status") not in STATUSES or any(each.get("kind") not in KINDS for each in findings):
        return Unreadable(key, BROKEN, "has a status or a finding of an unknown kind")
    if len(findings) != min(len(raw["findings"]), MOST_FINDINGS):
        return Unreadable(key, BROKEN, "has a finding of an unknown form")
    return Report(
        key=key,
        cluster=str(raw["cluster"]),
        verb=verb,
        started=utc_time(raw.get("started")),
        ended=utc_time(raw.get("ended")),
        status=str(raw["status"]),
        check_mode=raw["check_mode"],
        account=line(raw.get("account")),
        arn=line(raw.get("arn")),
        findings=tuple(_finding(each) for each in findings),
        more_findings=max(0, len(raw["findings"]) - MOST_FINDINGS),
        changes=len(raw["changes"]),
        certificates=_certificates(raw.get("certificates")),
        login=_login(raw),
        login_name=_short(raw.get("login_name")),
        controller=_short(raw.get("controller")),
        interrupted=bool(raw.get("interrupted")),
    )


def run_of(key: str, raw: t.Any) -> Run | Unreadable:
    if not isinstance(raw, t.Mapping):
        return Unreadable(key, BROKEN, "is not the document of a run")
    if raw.get("schema") != SCHEMA:
        return _other_schema(key, raw)
    if not isinstance(raw.get("check_mode"), bool) or not isinstance(raw.get("clusters"), t.Mapping):
        return Unreadable(key, BROKEN, "is not the document of a run")
    clusters = [each for each in raw["clusters"].values() if isinstance(each, t.Mapping)]
    statuses = {str(each.get("document")): str(each.get("status")) for each in clusters if each.get("status") in STATUSES}
    own = f"{key.removesuffix('.json')}/"
    names = [each for each in entries(raw.get("files"), MOST_FILES) if isinstance(each, str)]
    return Run(raw["check_mode"], statuses, tuple(each for each in names if _is_file(each, own)))


def foreign(found: Report, account: str, arn: str) -> Unreadable | None:
    """Why the report is not about the inventory's cluster of this key; None if it is."""
    if found.account != account:
        return Unreadable(found.key, OTHER_ACCOUNT, f"is of account {found.account or 'unknown'}, and the inventory has {account}")
    if found.arn != arn:
        return Unreadable(found.key, OTHER_CLUSTER, f"is of cluster {found.arn or 'unknown'}, and the inventory has {arn}")
    return None


def is_open(finding: t.Mapping[str, str]) -> bool:
    return finding["kind"] in (FAILURE, PENDING) or finding["severity"] == WARNING


def _problem(key: str, raw: t.Any) -> Unreadable | None:
    if not isinstance(raw, t.Mapping):
        return Unreadable(key, BROKEN, "is not a report")
    if raw.get("schema") != SCHEMA:
        return _other_schema(key, raw)
    lists = all(isinstance(raw.get(name), list) for name in ("findings", "changes"))
    if not lists or not isinstance(raw.get("check_mode"), bool) or not utc_time(raw.get("started")):
        return Unreadable(key, BROKEN, "lacks fields that each report has")
    if re.sub("[-:]", "", utc_time(raw["started"])) != key.rpartition("/")[2].partition("-")[0]:
        return Unreadable(key, BROKEN, "has a different time than its key")
    return None


def _other_schema(key: str, raw: t.Mapping[str, t.Any]) -> Unreadable:
    return Unreadable(key, OTHER_SCHEMA, f"has schema {_short(raw.get('schema')) or 'unknown'}, and this version reads {SCHEMA}")


def _is_file(key: str, own: str) -> bool:
    """Whether the key is of a file of the run. A file is in no folder below the one of the run."""
    name = key.removeprefix(own)
    return key.startswith(own) and key.startswith(RUNS) and bool(name) and "/" not in name and name.strip(".") != ""


def _finding(raw: t.Mapping[str, t.Any]) -> dict[str, str]:
    return {name: _short(raw.get(name)) for name in ("kind", "code", "severity", "node", "subject", "text", "next_step")}


def _certificates(raw: t.Any) -> dict[str, str]:
    found = raw if isinstance(raw, t.Mapping) else {}
    return {name: end for name in CERTIFICATES for end in (utc_time(found.get(name)),) if end}


def _login(raw: t.Mapping[str, t.Any]) -> tuple[int, int] | None:
    serving, nodes = raw.get("login_nodes_in_service"), raw.get("login_nodes")
    return (serving, nodes) if isinstance(serving, int) and isinstance(nodes, int) else None


def _short(value: t.Any) -> str:
    return line(value)[:LONGEST]


def utc_time(value: t.Any) -> str:
    """The time in UTC; empty if the value is not a time."""
    try:
        return iso_seconds(moment_of(value)) if isinstance(value, str) else ""
    except (ValueError, OverflowError):
        return ""


def _moment(name: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.strptime(name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    except ValueError:
        return None
