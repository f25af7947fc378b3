# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The document of the fleet report, which the JSON is, and from which the page is generated."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass, field, replace

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import KINDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.listing import Names
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import Unreadable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import line

from . import standing
from .access import Facts
from .facts import SECTIONS
from .latest import FOUND, UNKNOWN, Latest, OfVerb
from .reports import Report, foreign, is_open, time_of
from .sources import Sources
from .standing import Limits, VerbState

SCHEMA = 1
OWN = "fleet_report"
"""The verb of this report. Its own reports say nothing about clusters."""
Document = dict[str, t.Any]


@dataclass(frozen=True)
class Cluster:
    """A cluster of the inventory."""

    key: str
    arn: str
    account: str
    region: str
    orchestrator: str
    nodes: t.Mapping[str, int] = field(default_factory=dict)
    """Number of nodes by HyperPod status."""


@dataclass(frozen=True)
class Inventory:
    clusters: t.Sequence[Cluster]
    """The clusters of the run."""
    known: t.Collection[str]
    """The keys of all clusters of the inventory."""
    not_read: t.Sequence[str] = ()
    """Sentences about what the inventory could not read."""


def document(inventory: Inventory, sources: Sources, limits: Limits) -> Document:
    clusters = {each.key: _cluster(each, sources, limits) for each in sorted(inventory.clusters, key=lambda each: each.key)}
    listed, pairs = (sources.listing.clusters, sources.listing.pairs) if sources.listing else (set(), {})
    counts = collections.Counter(each["standing"] for each in clusters.values())
    return {
        "schema": SCHEMA,
        "created": limits.now,
        "old_hours": limits.old_hours,
        "store": _store(sources),
        "inventory_failures": [line(each) for each in inventory.not_read],
        "standings": {name: counts[name] for name in standing.STANDINGS},
        "not_in_inventory": [_not_in_inventory(key, pairs) for key in sorted(listed - set(inventory.known))],
        "problems": _problems(clusters, sources),
        "findings": _codes(clusters),
        "clusters": clusters,
    }


def is_empty(document: Document) -> bool:
    """Whether the store has no report of a cluster of the run, or could not be read."""
    return not any(each["verbs"] for each in document["clusters"].values())


def _store(sources: Sources) -> Document:
    listed = sources.listing
    return {
        "address": sources.address,
        "failure": sources.failure,
        "reports": sum(each.count for each in listed.pairs.values()) if listed else 0,
        "objects_read": sources.objects,
        "calls": dict(sorted(sources.calls.items())),
        "foreign": listed.foreign_count if listed else 0,
    }


def _not_in_inventory(key: str, pairs: t.Mapping[tuple[str, str], Names]) -> Document:
    names = [names.newest[-1] for (cluster, _verb), names in pairs.items() if cluster == key and names.newest]
    return {"cluster": key, "latest": time_of(max(names)) if names else ""}


def _cluster(cluster: Cluster, sources: Sources, limits: Limits) -> Document:
    runs = {verb: _own(each, cluster) for (key, verb), each in sources.runs.items() if key == cluster.key and verb != OWN}
    states = {verb: standing.of_verb(verb, each, limits) for verb, each in sorted(runs.items())}
    not_listed = sources.failure or (sources.listing.not_listed.get(cluster.key, "") if sources.listing else "")
    certificates = _certificates(runs.values())
    worst, why = standing.of_cluster(states, certificates["ends"], limits.now, not_listed)
    return {
        **{name: getattr(cluster, name) for name in ("arn", "account", "region", "orchestrator")},
        "nodes": dict(cluster.nodes),
        "standing": worst,
        "why": why,
        "not_listed": not_listed,
        "login": _login(runs.values()),
        "certificates": certificates,
        "verbs": {verb: _verb(verb, runs[verb], each, limits) for verb, each in states.items()},
        "findings": [row for verb, each in states.items() for row in _findings(verb, each, limits)],
        **{name: _facts(verb, runs.get(verb), cluster, sources, limits) for verb, name in SECTIONS.items()},
    }


def _own(runs: OfVerb, cluster: Cluster) -> OfVerb:
    """The runs, without reports of other clusters with the same key. With such reports, the history is not known."""
    own = OfVerb(_of_cluster(runs.real, cluster), _of_cluster(runs.check, cluster), runs.count, runs.history)
    return own if (own.real.report, own.check.report) == (runs.real.report, runs.check.report) else replace(own, history=[])


def _of_cluster(latest: Latest, cluster: Cluster) -> Latest:
    problem = foreign(latest.report, cluster.account, cluster.arn) if latest.report else None
    return Latest(UNKNOWN, problem=problem) if problem else latest


def _verb(verb: str, runs: OfVerb, state: VerbState, limits: Limits) -> Document:
    return {
        "state": state.state,
        "why": state.why,
        "mode": "check" if standing.is_check(verb) else "real",
        "reports": runs.count,
        "old_after_hours": limits.hours(verb),
        "real": _latest(runs.real, verb, limits),
        "check": _latest(runs.check, verb, limits),
        "history": [{"started": each[0], "check_mode": each[1], "status": each[2]} for each in runs.history],
    }


def _latest(latest: Latest, verb: str, limits: Limits) -> Document:
    report = latest.report
    known = _known(report) if report else {}
    old = {"old": limits.is_old(verb, report.started)} if report else {}
    return {"state": latest.state, "problem": latest.problem.reason if latest.problem else "", **known, **old}


def _known(report: Report) -> Document:
    names = ("key", "started", "ended", "status", "changes", "controller", "interrupted")
    kinds = collections.Counter(each["kind"] for each in report.findings)
    return {**{name: getattr(report, name) for name in names}, "findings": {kind: kinds[kind] for kind in KINDS}}


def _findings(verb: str, state: VerbState, limits: Limits) -> list[Document]:
    """The open findings of the run that counts. Those of an old run are marked."""
    report = state.latest.report
    if not report:
        return []
    about = {"verb": verb, "started": report.started, "old": limits.is_old(verb, report.started)}
    return [
        {**about, "since": since, "since_is_known": is_known, **each}
        for each in report.findings
        if is_open(each)
        for since, is_known in [state.latest.since(each)]
    ]


def _certificates(runs: t.Iterable[OfVerb]) -> Document:
    """The ends by the latest report that has any."""
    reports = [each.report for one in runs for each in (one.real, one.check) if each.report and each.report.certificates]
    latest = max(reports, key=lambda each: each.started, default=None)
    return {"ends": dict(latest.certificates), "started": latest.started} if latest else {"ends": {}, "started": ""}


def _login(runs: t.Iterable[OfVerb]) -> Document | None:
    reports = [one.real.report for one in runs if one.real.report and one.real.report.login]
    latest = max(reports, key=lambda each: each.started, default=None)
    if latest is None or latest.login is None:
        return None
    serving, nodes = latest.login
    return {"in_service": serving, "nodes": nodes, "name": latest.login_name, "started": latest.started}


def _facts(verb: str, runs: OfVerb | None, cluster: Cluster, sources: Sources, limits: Limits) -> Document:
    """What the latest real run wrote about the cluster. ``why``: why this is missing, or is not from the latest run."""
    if runs is None or runs.real.state != FOUND or runs.real.report is None:
        why = runs.real.problem.reason if runs and runs.real.problem else ""
        words = f"the latest report of {verb} {why}" if why else f"no real run of {verb} is known"
        return {"found": None, "started": "", "why": words, "old": False}
    found: Facts = {}
    why = f"the run of {verb} stored no JSON file about the cluster"
    for key in runs.real.files:
        read = sources.files.get((verb, key))
        if isinstance(read, Unreadable):
            why = f"the file {key.rpartition('/')[2]} {read.reason}"
        elif read and cluster.key in read:
            found = read[cluster.key]
    if found and found["arn"] not in (None, cluster.arn):
        found, why = {}, "the file is about another cluster with the same key"
    if found and found["failure"]:
        found, why = {}, found["failure"]
    shown = {name: value for name, value in found.items() if name not in ("arn", "failure")} if found else None
    doubt = runs.real.problem.reason if runs.real.problem else ""
    started = runs.real.report.started
    return {"found": shown, "started": started, "why": why if shown is None else doubt, "old": limits.is_old(verb, started)}


def _problems(clusters: t.Mapping[str, Document], sources: Sources) -> list[Document]:
    """The sources that are not used, each with the reason."""
    found = [
        {"cluster": key, "source": f"{verb}, {mode}", "why": each[mode]["problem"]}
        for key, cluster in clusters.items()
        for verb, each in cluster["verbs"].items()
        for mode in ("real", "check")
        if each[mode]["problem"]
    ]
    not_listed = [(key, each["not_listed"]) for key, each in clusters.items() if each["not_listed"]]
    found += [{"cluster": key, "source": "all reports", "why": why} for key, why in not_listed]
    unreadable = {key: each for (_verb, key), each in sources.files.items() if isinstance(each, Unreadable)}
    found += [{"cluster": "", "source": key, "why": each.reason} for key, each in sorted(unreadable.items())]
    keys = sources.listing.foreign if sources.listing else []
    return [*found, *({"cluster": "", "source": line(key), "why": "is not the key of a report"} for key in keys)]


def _codes(clusters: t.Mapping[str, Document]) -> list[Document]:
    """The open findings by code, the worst kind first, with the times since when the oldest and the newest one are reported."""
    rows: dict[tuple[int, str], list[tuple[str, Document]]] = collections.defaultdict(list)
    for key, cluster in clusters.items():
        for each in cluster["findings"]:
            rows[KINDS.index(each["kind"]), each["code"]].append((key, each))
    return [
        {
            "kind": KINDS[rank],
            "code": code,
            "count": len(found),
            "clusters": sorted({key for key, _each in found}),
            "verbs": sorted({each["verb"] for _key, each in found}),
            **dict(zip(("oldest", "oldest_is_known"), min((each["since"], each["since_is_known"]) for _key, each in found))),
            "newest": max(each["since"] for _key, each in found),
        }
        for (rank, code), found in sorted(rows.items())
    ]
