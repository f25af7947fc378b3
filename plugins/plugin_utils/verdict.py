# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run came to, cluster by cluster. Plain data in, plain data out; the callback plugin feeds it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told import Sentence, Teller, changes_of, one_line

SCHEMA = 1
STATUSES = ("unchanged", "changed", "skipped", "degraded", "failed")
"""From best to worst."""
KINDS = ("pending", "failures", "notes")
PROXY_ENDED = "Connection closed by UNKNOWN port"
OF_THIS_RUN: list[Verdict] = []
"""The callback's. Action plugins run in forks of its process, so they see what was told before their task."""


def status_so_far(cluster: str) -> str | None:
    """Of this run, for an action plugin; None where no callback listens."""
    told = OF_THIS_RUN[-1].clusters.get(cluster) if OF_THIS_RUN else None
    return told.status if told else None


@dataclass
class ClusterVerdict:
    """One cluster's changes, and the sentences about what is pending, what failed and what is worth knowing."""

    changes: list[dict[str, t.Any]] = field(default_factory=list)
    changed: bool = False
    pending: list[Sentence] = field(default_factory=list)
    failures: list[Sentence] = field(default_factory=list)
    notes: list[Sentence] = field(default_factory=list)
    skipped: str = ""
    full_look: str = ""
    """When the last one was, where this run asked AWS alone."""
    subjects: dict[str, bool] = field(default_factory=dict)
    """The cluster and the nodes that the run dealt with, and whether a task changed them."""
    reasons: set[tuple[str, str]] = field(default_factory=set)
    """Which host failed with which words."""

    @property
    def status(self) -> str:
        if self.failures:
            return "failed"
        if self.pending:
            return "degraded"
        if self.skipped:
            return "skipped"
        return "changed" if self.changed else "unchanged"

    def to_report(self) -> dict[str, t.Any]:
        return {
            "status": self.status,
            "full_look": self.full_look or None,
            "changes": self.changes,
            "pending": _shown(self.pending),
            "failures": _shown(self.failures),
            "notes": ([self.skipped] if self.skipped else []) + _shown(self.notes),
        }

    def add(self, kind: str, sentence: Sentence) -> None:
        sentences: list[Sentence] = getattr(self, kind)
        if sentence not in sentences:
            sentences.append(sentence)


class Verdict:
    """Collects task results of one run."""

    def __init__(self) -> None:
        self.clusters: dict[str, ClusterVerdict] = {}

    def ok(self, teller: Teller, result: t.Mapping[str, t.Any]) -> None:
        if teller.cluster is None:
            return
        verdict = self._of(teller)
        for item in _items(result):
            if item.get("changed"):
                verdict.changed = verdict.subjects[teller.subject] = True
                verdict.changes += [{**change, "host": teller.subject} for change in changes_of(item.get("changes"))]
            self._read(verdict, teller, item.get("hyperpod_report"))
            facts = item.get("ansible_facts")
            self._read(verdict, teller, facts.get("hyperpod_report") if isinstance(facts, t.Mapping) else None)

    def failed(self, teller: Teller, task: str, result: t.Mapping[str, t.Any]) -> None:
        if teller.cluster is None:
            return
        verdict = self._of(teller)
        items = _items(result)
        holders = [each["locked_by"] for each in (result, *items) if each.get("locked_by")] if teller.trusted else []
        if holders:
            verdict.skipped = one_line(f"skipped, locked by {holders[0]['owner']} until {holders[0]['expires']}")
            return
        reasons = [item.get("msg") for item in items if item.get("failed")] or [result.get("msg")]
        for reason in (one_line(each or "no message") for each in reasons):
            if (teller.host, reason) in verdict.reasons:
                continue  # a rescue fails again with the words of what it was called for
            verdict.reasons.add((teller.host, reason))
            verdict.add("failures", teller.says(f"{teller.subject}: {one_line(task)}: {reason}"))

    def unreachable(self, teller: Teller, result: t.Mapping[str, t.Any], proxy: str | None = None) -> None:
        """``proxy``: what the ProxyCommand said, where ssh itself knows only that it ended."""
        if teller.cluster is None:
            return
        reason = str(result.get("msg") or "no message").strip().rpartition("\n")[2]
        if proxy and PROXY_ENDED in reason:
            reason = proxy
        self._of(teller).add("pending", teller.says(f"{teller.subject} is unreachable: {one_line(reason)}"))

    @property
    def status(self) -> str:
        return max((verdict.status for verdict in self.clusters.values()), key=STATUSES.index, default="unchanged")

    def to_report(self) -> dict[str, t.Any]:
        clusters = {key: verdict.to_report() for key, verdict in sorted(self.clusters.items())}
        return {"schema": SCHEMA, "status": self.status, "clusters": clusters}

    def to_lines(self) -> list[str]:
        lines = []
        width = max(len(key) for key in self.clusters)
        for key, verdict in sorted(self.clusters.items()):
            count = len(verdict.changes)
            did = f"{count} change{'' if count == 1 else 's'}" if count else ""
            how = f"(AWS only, full look {verdict.full_look})" if verdict.full_look else ""
            lines.append(" ".join(filter(None, (f"{key:<{width}}  {verdict.status:<9}", how, did and f" {did}"))).rstrip())
            report = verdict.to_report()
            for kind in ("failures", "pending", "notes"):
                lines += [f"{'':<{width}}  - {kind.removesuffix('s')}: {sentence}" for sentence in report[kind]]
        return lines

    def _of(self, teller: Teller) -> ClusterVerdict:
        verdict = self.clusters.setdefault(str(teller.cluster), ClusterVerdict())
        verdict.subjects.setdefault(teller.subject, False)
        return verdict

    @staticmethod
    def _read(verdict: ClusterVerdict, teller: Teller, report: t.Any) -> None:
        if not isinstance(report, t.Mapping):
            return
        for kind in KINDS:
            told = report.get(kind)
            for text in filter(None, map(one_line, told if isinstance(told, (list, tuple)) else [])):
                verdict.add(kind, teller.says(text))
        if teller.trusted:
            verdict.skipped = verdict.skipped or one_line(report.get("skipped") or "")
            verdict.full_look = verdict.full_look or one_line(report.get("full_look") or "")


def _items(result: t.Mapping[str, t.Any]) -> list[t.Mapping[str, t.Any]]:
    """The results of a loop, or the one there is."""
    items = result.get("results")
    return [each for each in items if isinstance(each, t.Mapping)] if items and isinstance(items, list) else [result]


def _shown(sentences: t.Sequence[Sentence]) -> list[str]:
    """What the controller says too, a node need not say."""
    said = {sentence.text for sentence in sentences if sentence.trusted}
    return [
        each.shown
        for each in sentences
        if each.trusted or not said & {each.text, f"node {each.subject}: {each.text}"}
    ]
