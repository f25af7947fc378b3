# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run came to, cluster by cluster. Plain data in, plain data out; the callback plugin feeds it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import report_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reasons import items_of, reasons_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told import Sentence, Teller, changes_of, one_line

SCHEMA = 2
STATUSES = ("unchanged", "changed", "skipped", "degraded", "failed")
"""From best to worst."""
KINDS = ("pending", "failures", "notes")
ABOUT: dict[str, type] = {
    "login_name": str,
    "people_files": str,
    "login_nodes": int,
    "login_nodes_in_service": int,
    "full_look": str,
}
"""What the controller tells of a cluster in ``hyperpod_report`` beside sentences."""
NOTHING_ASKED = "nothing was looked at"
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
    subjects: dict[str, bool] = field(default_factory=dict)
    """The cluster and the nodes that the run dealt with, and whether a task changed them."""
    reasons: set[tuple[str, str]] = field(default_factory=set)
    """Which host failed with which words."""
    asked: bool = False
    """A module asked AWS about the cluster, or a node of it."""
    looked_at: set[str] = field(default_factory=set)
    """Nodes that answered a module."""
    said: set[tuple[str, Sentence]] = field(default_factory=set)
    """All sentences, by kind: a node may say very many."""
    about: dict[str, t.Any] = field(default_factory=dict)
    """What is known beside sentences: from the inventory, and what the controller told (``ABOUT``)."""

    @property
    def left(self) -> str:
        """Why the cluster was left as it is: of one that nothing was asked about, nobody knows that it is unchanged."""
        return self.skipped or ("" if self.asked or self.changed else NOTHING_ASKED)

    @property
    def status(self) -> str:
        if self.failures:
            return "failed"
        if self.pending:
            return "degraded"
        if self.left:
            return "skipped"
        return "changed" if self.changed else "unchanged"

    def sentences(self, kind: str) -> list[Sentence]:
        """Those to show. What the controller says too, a node need not say."""
        told: list[Sentence] = getattr(self, kind)
        said = {sentence.text for sentence in told if sentence.trusted}
        shown = [each for each in told if each.trusted or not said & {each.text, f"node {each.subject}: {each.text}"}]
        left = self.skipped or (self.left if self.status == "skipped" else "")
        return [Sentence("", left, True), *shown] if left and kind == "notes" else shown

    def to_report(self) -> dict[str, t.Any]:
        return {
            "status": self.status,
            **dict.fromkeys(ABOUT),
            **self.about,
            "nodes_looked_at": len(self.looked_at),
            "changes": self.changes,
            **{kind: [each.shown for each in self.sentences(kind)] for kind in KINDS},
        }

    def add(self, kind: str, sentence: Sentence) -> None:
        if (kind, sentence) not in self.said:
            self.said.add((kind, sentence))
            getattr(self, kind).append(sentence)


class Verdict:
    """Collects task results of one run."""

    def __init__(self) -> None:
        self.clusters: dict[str, ClusterVerdict] = {}
        self.not_read: tuple[str, ...] = ()
        """What the inventory could not read: nobody knows of the clusters there."""
        self.refused: list[str] = []
        """Why the run was refused before it was about any cluster."""

    def ok(self, teller: Teller, result: t.Mapping[str, t.Any]) -> None:
        if teller.cluster is None:
            return
        verdict = self._of(teller)
        for item in items_of(result):
            if item.get("changed"):
                verdict.changed = verdict.subjects[teller.subject] = True
                verdict.changes += [{**change, "host": teller.subject} for change in changes_of(item.get("changes"))]
            self._read(verdict, teller, item.get("hyperpod_report"))
            facts = item.get("ansible_facts")
            self._read(verdict, teller, facts.get("hyperpod_report") if isinstance(facts, t.Mapping) else None)

    def failed(
        self,
        teller: Teller,
        task: str,
        result: t.Mapping[str, t.Any],
        *,
        items: t.Sequence[t.Mapping[str, t.Any]] = (),
        again: bool = False,
    ) -> None:
        """``items``: those of a loop that failed. ``again``: a rescue that fails with the reason it was called for."""
        if teller.cluster is None:
            return
        verdict = self._of(teller)
        told = (result, *items_of(result))
        holders = [each["locked_by"] for each in told if each.get("locked_by")] if teller.trusted else []
        if holders:
            verdict.skipped = one_line(f"skipped, locked by {holders[0]['owner']} until {holders[0]['expires']}")
            return
        if again and teller.host in {host for host, _reason in verdict.reasons}:
            return
        for reason in reasons_of(result, items):
            if (teller.host, reason) in verdict.reasons:
                continue
            verdict.reasons.add((teller.host, reason))
            verdict.add("failures", teller.says(f"{teller.subject}: {one_line(task)}: {reason}"))

    def refuse(self, result: t.Mapping[str, t.Any]) -> None:
        self.refused = list(dict.fromkeys([*self.refused, *reasons_of(result)]))

    def looked_at(self, teller: Teller) -> None:
        """A module ran, on the node or for the cluster; it may have failed."""
        if teller.cluster is None:
            return
        verdict = self._of(teller)
        verdict.asked = True
        if not teller.trusted:
            verdict.looked_at.add(teller.subject)

    def unreachable(self, teller: Teller, result: t.Mapping[str, t.Any], proxy: str | None = None) -> None:
        """``proxy``: what the ProxyCommand said, where ssh itself knows only that it ended."""
        if teller.cluster is None:
            return
        reason = str(result.get("msg") or "no message").strip().rpartition("\n")[2]
        if proxy and PROXY_ENDED in reason:
            reason = proxy
        self._of(teller).add("pending", teller.says(f"{teller.subject} is unreachable: {one_line(reason)}"))

    def is_worse(self, teller: Teller, *, than: str) -> bool:
        """The cluster that the teller speaks for."""
        verdict = self.clusters.get(str(teller.cluster))
        return verdict is not None and STATUSES.index(verdict.status) > STATUSES.index(than)

    @property
    def status(self) -> str:
        """Clusters that the run was not about do not count beside those that it was about."""
        if self.not_read or self.refused:
            return "failed"
        clusters = [each for each in self.clusters.values() if each.left != NOTHING_ASKED or each.status != "skipped"]
        told = [each.status for each in clusters or self.clusters.values()]
        return max(told, key=STATUSES.index, default="unchanged")

    def to_report(self) -> dict[str, t.Any]:
        clusters = {key: verdict.to_report() for key, verdict in sorted(self.clusters.items())}
        return {
            "schema": SCHEMA,
            "status": self.status,
            "inventory_failures": list(self.not_read),
            "refused": self.refused,
            "clusters": clusters,
        }

    def to_lines(self, *, file: str = "report.json") -> list[str]:
        return report_text.lines(self.clusters, not_read=self.not_read, refused=self.refused, file=file)

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
            told_about = {name: report.get(name) for name, kind in ABOUT.items() if isinstance(report.get(name), kind)}
            verdict.about.update({name: one_line(each) if isinstance(each, str) else each for name, each in told_about.items()})
            verdict.skipped = verdict.skipped or one_line(report.get("skipped") or "")
