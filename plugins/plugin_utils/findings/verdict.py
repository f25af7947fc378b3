# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run came to, cluster by cluster. Plain data in, plain data out; the callback plugin feeds it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE, NOTE, PENDING, RESULT, note, pending
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings import report_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import (
    LEFT_AS_IT_IS,
    LOCK_HELD,
    NODE_FAILED,
    NOT_LOOKED_AT,
    UNREACHABLE,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Reported, Source, findings_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import changes_of, one_line
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reasons import failures_of, items_of, reasons_of

SCHEMA = 3
STATUSES = ("unchanged", "changed", "skipped", "degraded", "failed")
"""From best to worst."""
ABOUT: dict[str, type] = {
    "login_name": str,
    "people_files": str,
    "login_nodes": int,
    "login_nodes_in_service": int,
    "full_look": str,
}
"""What the controller tells of a cluster in ``hyperpod_report``."""
NOTHING_ASKED = "nothing was looked at"
PROXY_ENDED = "Connection closed by UNKNOWN port"
INTERRUPTED = "The run was interrupted, or ended with an error of Ansible, so its last steps are missing here. Run it again."
OF_THIS_RUN: list[Verdict] = []
"""The callback's. Action plugins run in forks of its process, so they see what was told before their task."""


def status_so_far(cluster: str) -> str | None:
    """Of this run, for an action plugin; None where no callback listens."""
    verdict = OF_THIS_RUN[-1].clusters.get(cluster) if OF_THIS_RUN else None
    return verdict.status if verdict else None


@dataclass
class ClusterVerdict:
    """One cluster's changes, and what is pending, what failed and what is worth knowing."""

    changes: list[dict[str, t.Any]] = field(default_factory=list)
    changed: bool = False
    found: dict[tuple[bool, tuple[str, ...]], list[Reported]] = field(default_factory=dict)
    """By who told them and what they are; what is told last counts."""
    skipped: str = ""
    subjects: dict[str, bool] = field(default_factory=dict)
    """The cluster and the nodes that the run dealt with, and whether a task changed them."""
    reasons: set[tuple[str, str]] = field(default_factory=set)
    """Which host failed with which words."""
    asked: bool = False
    """A module asked AWS about the cluster, or a node of it."""
    looked_at: set[str] = field(default_factory=set)
    """Nodes that answered a module."""
    about: dict[str, t.Any] = field(default_factory=dict)
    """What is known beside findings: from the inventory, and what the controller told (``ABOUT``)."""

    @property
    def left(self) -> str:
        """Why the cluster was left as it is: of one that nothing was asked about, nobody knows that it is unchanged."""
        return self.skipped or ("" if self.asked or self.changed else NOTHING_ASKED)

    @property
    def left_code(self) -> str:
        return LOCK_HELD if self.skipped else NOT_LOOKED_AT

    @property
    def status(self) -> str:
        kinds = {each.finding.kind for each in self.reported()}
        if FAILURE in kinds:
            return "failed"
        if PENDING in kinds:
            return "degraded"
        if self.left:
            return "skipped"
        return "changed" if self.changed else "unchanged"

    def reported(self, *kinds: str) -> list[Reported]:
        """The findings of these kinds, or all. What the controller tells of a node, too, the node need not tell."""
        found = (
            each
            for (trusted, identity), reports in self.found.items()
            if trusted or (True, identity) not in self.found
            for each in reports
        )
        return [each for each in found if not kinds or each.finding.kind in kinds]

    def shown(self) -> list[Reported]:
        """All findings, the worst first; and why the cluster was left as it is."""
        explained = any(each.finding.code in LEFT_AS_IT_IS for each in self.reported(NOTE))
        why = self.skipped or (self.left if self.status == "skipped" and not explained else "")
        left = [Reported("", note(self.left_code, why), trusted=True)] if why else []
        return [*self.reported(FAILURE), *self.reported(PENDING), *left, *self.reported(NOTE)]

    def to_report(self) -> dict[str, t.Any]:
        return {
            "status": self.status,
            **dict.fromkeys(ABOUT),
            **self.about,
            "nodes_looked_at": len(self.looked_at),
            "changes": self.changes,
            "findings": [each.to_report() for each in self.shown()],
        }

    def add(self, reports: t.Iterable[Reported]) -> None:
        """What one result tells; of several results about the same thing the last one counts."""
        new: dict[tuple[bool, tuple[str, ...]], list[Reported]] = {}
        for each in reports:
            new.setdefault((each.trusted, each.identity), []).append(each)
        self.found.update(new)


class Verdict:
    """Collects task results of one run."""

    def __init__(self) -> None:
        self.clusters: dict[str, ClusterVerdict] = {}
        self.not_read: tuple[str, ...] = ()
        """What the inventory could not read: nobody knows of the clusters there."""
        self.refused: list[str] = []
        """Why the run was refused before it was about any cluster."""
        self.interrupted = False

    def ok(self, teller: Source, result: t.Mapping[str, t.Any]) -> None:
        if teller.cluster is None:
            return
        verdict = self._of(teller)
        for item in items_of(result):
            if item.get("changed"):
                verdict.changed = verdict.subjects[teller.subject] = True
                verdict.changes += [{**change, "host": teller.subject} for change in changes_of(item.get("changes"))]
            self._hear(verdict, teller, item.get(RESULT))
            facts = item.get("ansible_facts")
            self._read(verdict, teller, facts.get("hyperpod_report") if isinstance(facts, t.Mapping) else None)

    def failed(
        self,
        teller: Source,
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
        results = (result, *items_of(result))
        holders = [each["locked_by"] for each in results if each.get("locked_by")] if teller.trusted else []
        if holders:
            verdict.skipped = one_line(f"skipped, locked by {holders[0]['owner']} until {holders[0]['expires']}")
            return
        if again and teller.host in {host for host, _reason in verdict.reasons}:
            return
        name = one_line(task)
        new = [each for each in failures_of(result, items) if (teller.host, each.text) not in verdict.reasons]
        verdict.reasons |= {(teller.host, each.text) for each in new}
        verdict.add(teller.says(each, opening=f"{teller.subject}: {name}: ", task=name) for each in new)

    def left_out(
        self, teller: Source, task: str, result: t.Mapping[str, t.Any], *, items: t.Sequence[t.Mapping[str, t.Any]] = ()
    ) -> None:
        """A task failed on a node, which the run goes on without."""
        if teller.cluster is None:
            return
        name = one_line(task)
        found = [pending(NODE_FAILED, each.text, subject=each.code) for each in failures_of(result, items)]
        self._of(teller).add(teller.says(each, opening=f"{teller.subject}: {name}: ", task=name) for each in found)

    def refuse(self, result: t.Mapping[str, t.Any]) -> None:
        self.refused = list(dict.fromkeys([*self.refused, *reasons_of(result)]))

    def looked_at(self, teller: Source) -> None:
        """A module ran, on the node or for the cluster; it may have failed."""
        if teller.cluster is None:
            return
        verdict = self._of(teller)
        verdict.asked = True
        if not teller.trusted:
            verdict.looked_at.add(teller.subject)

    def unreachable(self, teller: Source, result: t.Mapping[str, t.Any], proxy: str | None = None) -> None:
        """``proxy``: what the ProxyCommand said, where ssh itself knows only that it ended."""
        if teller.cluster is None:
            return
        reason = str(result.get("msg") or "no message").strip().rpartition("\n")[2]
        if proxy and PROXY_ENDED in reason:
            reason = proxy
        found = pending(UNREACHABLE, f"is unreachable: {one_line(reason)}")
        self._of(teller).add([teller.says(found, opening=f"{teller.subject} ")])

    def is_worse(self, teller: Source, *, than: str) -> bool:
        """The cluster that the teller speaks for."""
        verdict = self.clusters.get(str(teller.cluster))
        return verdict is not None and STATUSES.index(verdict.status) > STATUSES.index(than)

    @property
    def status(self) -> str:
        """Clusters that the run was not about do not count beside those that it was about."""
        if self.not_read or self.refused or self.interrupted:
            return "failed"
        clusters = [each for each in self.clusters.values() if each.left != NOTHING_ASKED or each.status != "skipped"]
        statuses = [each.status for each in clusters or self.clusters.values()]
        return max(statuses, key=STATUSES.index, default="unchanged")

    def to_report(self) -> dict[str, t.Any]:
        clusters = {key: verdict.to_report() for key, verdict in sorted(self.clusters.items())}
        return {
            "schema": SCHEMA,
            "status": self.status,
            "inventory_failures": list(self.not_read),
            "refused": self.refused,
            "interrupted": self.interrupted,
            "clusters": clusters,
        }

    def to_lines(self, *, file: str = "report.json") -> list[str]:
        of_run = [*self.refused, *([INTERRUPTED] if self.interrupted else [])]
        return report_text.lines(self.clusters, not_read=self.not_read, of_run=of_run, file=file)

    def _of(self, teller: Source) -> ClusterVerdict:
        verdict = self.clusters.setdefault(str(teller.cluster), ClusterVerdict())
        verdict.subjects.setdefault(teller.subject, False)
        return verdict

    @staticmethod
    def _hear(verdict: ClusterVerdict, teller: Source, value: t.Any) -> None:
        found = findings_of(value)
        if teller.trusted:
            verdict.skipped = verdict.skipped or next((each.text for each in found if each.code == LOCK_HELD), "")
        verdict.add(teller.says(each) for each in found if each.code != LOCK_HELD)

    @staticmethod
    def _read(verdict: ClusterVerdict, teller: Source, report: t.Any) -> None:
        if teller.trusted and isinstance(report, t.Mapping):
            known = {name: report.get(name) for name, kind in ABOUT.items() if isinstance(report.get(name), kind)}
            verdict.about.update({name: one_line(each) if isinstance(each, str) else each for name, each in known.items()})
