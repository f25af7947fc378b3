# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run came to, cluster by cluster. Plain data in, plain data out; the callback plugin feeds it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

SCHEMA = 1
STATUSES = ("unchanged", "changed", "skipped", "degraded", "failed")
"""From best to worst."""
PROXY_ENDED = "Connection closed by UNKNOWN port"


@dataclass
class ClusterVerdict:
    """One cluster's changes, and the sentences about what is pending, what failed and what is worth knowing."""

    changes: list[dict[str, t.Any]] = field(default_factory=list)
    changed: bool = False
    pending: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: str = ""
    subjects: dict[str, bool] = field(default_factory=dict)
    """The cluster and the nodes that the run dealt with, and whether a task changed them."""

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
            "changes": self.changes,
            "pending": self.pending,
            "failures": self.failures,
            "notes": ([self.skipped] if self.skipped else []) + self.notes,
        }


class Verdict:
    """Collects task results of one run."""

    def __init__(self) -> None:
        self.clusters: dict[str, ClusterVerdict] = {}
        self.drift: dict[str, str] | None = None
        """In a run that looks for drift: the files that it writes."""

    def ok(self, cluster: str | None, subject: str, result: t.Mapping[str, t.Any]) -> None:
        self._read_drift(result)
        if cluster is None:
            return
        verdict = self._of(cluster)
        verdict.subjects.setdefault(subject, False)
        for item in result.get("results") or [result]:
            if not isinstance(item, t.Mapping):
                continue
            if item.get("changed"):
                verdict.changed = verdict.subjects[subject] = True
                verdict.changes += [dict(change, host=subject) for change in item.get("changes") or []]
            self._read(verdict, item.get("hyperpod_report") or {})
            self._read(verdict, (item.get("ansible_facts") or {}).get("hyperpod_report") or {})

    def failed(self, cluster: str | None, subject: str, task: str, result: t.Mapping[str, t.Any]) -> None:
        if cluster is None:
            return
        self._of(cluster).subjects.setdefault(subject, False)
        holders = [item["locked_by"] for item in (result, *(result.get("results") or [])) if item.get("locked_by")]
        if holders:
            self._of(cluster).skipped = f"skipped, locked by {holders[0]['owner']} until {holders[0]['expires']}"
            return
        reasons = [item.get("msg") for item in result.get("results") or [] if item.get("failed")] or [result.get("msg")]
        for reason in reasons:
            told = any(sentence.endswith(f": {reason}") for sentence in self._of(cluster).failures)
            if not told:  # a rescue fails again with the words of what it was called for
                self._of(cluster).failures.append(f"{subject}: {task}: {reason or 'no message'}")

    def unreachable(
        self, cluster: str | None, subject: str, result: t.Mapping[str, t.Any], proxy: str | None = None
    ) -> None:
        """``proxy``: what the ProxyCommand said, where ssh itself knows only that it ended."""
        if cluster is not None:
            self._of(cluster).subjects.setdefault(subject, False)
            reason = str(result.get("msg") or "no message").strip().splitlines()[-1]
            if proxy and PROXY_ENDED in reason:
                reason = proxy
            _add(self._of(cluster).pending, f"{subject} is unreachable: {reason}")

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
            lines.append(f"{key:<{width}}  {verdict.status:<9}  {did}".rstrip())
            report = verdict.to_report()
            for kind in ("failures", "pending", "notes"):
                lines += [f"{'':<{width}}  - {kind.removesuffix('s')}: {sentence}" for sentence in report[kind]]
        return lines

    def _of(self, cluster: str) -> ClusterVerdict:
        return self.clusters.setdefault(cluster, ClusterVerdict())

    def _read_drift(self, result: t.Mapping[str, t.Any]) -> None:
        report = (result.get("ansible_facts") or {}).get("hyperpod_report") or {}
        if "drift" in report:
            self.drift = {**(self.drift or {}), **report["drift"]}

    @staticmethod
    def _read(verdict: ClusterVerdict, report: t.Mapping[str, t.Any]) -> None:
        for kind in ("pending", "failures", "notes"):
            for sentence in report.get(kind) or []:
                _add(getattr(verdict, kind), str(sentence))
        verdict.skipped = verdict.skipped or str(report.get("skipped") or "")


def _add(sentences: list[str], sentence: str) -> None:
    if sentence not in sentences:
        sentences.append(sentence)
