# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a run for each cluster, for the callback plugin. Plain data in, plain data out."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import (
    FAILURE,
    NOTE,
    PENDING,
    RESULT,
    Finding,
    note,
    pending,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings import report_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import (
    LOCK_HELD,
    NODE_FAILED,
    NOT_APPLICABLE,
    NOT_LOOKED_AT,
    UNREACHABLE,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Reported, Source, findings_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import changes_of, one_line
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reasons import failures_of, items_of, reasons_of

SCHEMA = 3
STATUSES = ("unchanged", "changed", "skipped", "degraded", "failed")
"""Statuses from best to worst."""
ABOUT: dict[str, type] = {
    "login_name": str,
    "people_files": str,
    "login_nodes": int,
    "login_nodes_in_service": int,
    "full_look": str,
    "arn": str,
    "account": str,
    "region": str,
    "certificates": dict,
}
"""Values of a cluster that tasks on the control node set in ``hyperpod_report``, and their types."""
CERTIFICATES = ("vpn-ca", "vpn-server", "vpn-crl", "vpn-user", "host")
"""Names in ``certificates``, which has the expiry time of each certificate that the run read. Of users and hosts, it has only the
certificate that expires first."""
NOTHING_CHECKED = "nothing was checked"
PROXY_ENDED = "Connection closed by UNKNOWN port"
INTERRUPTED = "The run was interrupted or ended with an Ansible error, so its last steps are missing in this report. Run it again."
OF_THIS_RUN: list[Verdict] = []
"""The callback's verdict. Action plugins run in forks of the callback's process, so they see the results of earlier tasks."""


def status_so_far(cluster: str) -> str | None:
    """The cluster's status after the tasks so far, for action plugins; None without the callback."""
    verdict = OF_THIS_RUN[-1].clusters.get(cluster) if OF_THIS_RUN else None
    return verdict.status if verdict else None


@dataclass
class ClusterVerdict:
    """The changes and findings of one cluster."""

    changes: list[dict[str, t.Any]] = field(default_factory=list)
    changed: bool = False
    found: dict[tuple[bool, tuple[str, ...]], list[Reported]] = field(default_factory=dict)
    """Findings, keyed by trust and identity; a later finding replaces an earlier one with the same key."""
    skipped: str = ""
    subjects: dict[str, bool] = field(default_factory=dict)
    """The cluster and its nodes in this run, each with whether a task changed it."""
    reasons: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a host and the text of its failure."""
    checked: bool = False
    """Whether a module read the cluster or one of its nodes."""
    answered: set[str] = field(default_factory=set)
    """The nodes on which a module ran."""
    about: dict[str, t.Any] = field(default_factory=dict)
    """Values from the inventory, and the values of ``ABOUT``."""

    @property
    def left(self) -> str:
        """Why the cluster was skipped; empty if it was not. A cluster that no task checked is skipped, not unchanged."""
        return self.skipped or ("" if self.checked or self.changed else NOTHING_CHECKED)

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
        """The findings of these kinds, or all findings. A node's finding is dropped if the control node reports the same one."""
        found = (
            each
            for (trusted, identity), reports in self.found.items()
            if trusted or (True, identity) not in self.found
            for each in reports
        )
        return [each for each in found if not kinds or each.finding.kind in kinds]

    def shown(self) -> list[Reported]:
        """All findings, worst first. They include the reason if the cluster was skipped."""
        explained = any(each.finding.code in NOT_APPLICABLE for each in self.reported(NOTE))
        why = self.skipped or (self.left if self.status == "skipped" and not explained else "")
        left = [Reported("", note(self.left_code, why), trusted=True)] if why else []
        return [*self.reported(FAILURE), *self.reported(PENDING), *left, *self.reported(NOTE)]

    def to_report(self) -> dict[str, t.Any]:
        return {
            "status": self.status,
            **dict.fromkeys(ABOUT),
            **self.about,
            "nodes_looked_at": len(self.answered),
            "changes": self.changes,
            "findings": [each.to_report() for each in self.shown()],
        }

    def add(self, reports: t.Iterable[Reported]) -> None:
        """Add the findings of one result. They replace earlier findings with the same identity."""
        new: dict[tuple[bool, tuple[str, ...]], list[Reported]] = {}
        for each in reports:
            new.setdefault((each.trusted, each.identity), []).append(each)
        self.found.update(new)


class Verdict:
    """Collects the task results of one run."""

    def __init__(self) -> None:
        self.clusters: dict[str, ClusterVerdict] = {}
        self.not_read: tuple[str, ...] = ()
        """Parts that the inventory could not read, so the run does not know their clusters."""
        self.refused: list[str] = []
        """Why the run was refused before it reached a cluster."""
        self.interrupted = False

    def ok(self, source: Source, result: t.Mapping[str, t.Any]) -> None:
        if source.cluster is None:
            return
        verdict = self._of(source)
        for item in items_of(result):
            if item.get("changed"):
                verdict.changed = verdict.subjects[source.subject] = True
                verdict.changes += [{**change, "host": source.subject} for change in changes_of(item.get("changes"))]
            self._add_findings(verdict, source, item.get(RESULT))
            facts = item.get("ansible_facts")
            self._add_about(verdict, source, facts.get("hyperpod_report") if isinstance(facts, t.Mapping) else None)

    def failed(
        self,
        source: Source,
        task: str,
        result: t.Mapping[str, t.Any],
        *,
        items: t.Sequence[t.Mapping[str, t.Any]] = (),
        again: bool = False,
    ) -> None:
        """Add the failure of a task.

        :param items: the failed items of a loop.
        :param again: whether the task is in a rescue section and fails because of an earlier failure.
        """
        if source.cluster is None:
            return
        verdict = self._of(source)
        results = (result, *items_of(result))
        holders = [each["locked_by"] for each in results if each.get("locked_by")] if source.trusted else []
        if holders:
            verdict.skipped = one_line(f"skipped, locked by {holders[0]['owner']} until {holders[0]['expires']}")
            return
        if again and source.host in {host for host, _reason in verdict.reasons}:
            return
        name = one_line(task)
        new = [each for each in failures_of(result, items) if (source.host, each.text) not in verdict.reasons]
        verdict.reasons |= {(source.host, each.text) for each in new}
        verdict.add(source.reported(each, opening=f"{source.subject}: {name}: ", task=name) for each in new)

    def left_out(
        self, source: Source, task: str, result: t.Mapping[str, t.Any], *, items: t.Sequence[t.Mapping[str, t.Any]] = ()
    ) -> None:
        """Add a task that failed on a node, when the run continues without the node."""
        if source.cluster is None:
            return
        name = one_line(task)
        found = [pending(NODE_FAILED, each.text, subject=each.code) for each in failures_of(result, items)]
        self._of(source).add(source.reported(each, opening=f"{source.subject}: {name}: ", task=name) for each in found)

    def refuse(self, result: t.Mapping[str, t.Any]) -> None:
        self.refused = list(dict.fromkeys([*self.refused, *reasons_of(result)]))

    def of_all_clusters(self, found: Finding) -> None:
        """Add a finding of the control node to each cluster."""
        for key, verdict in self.clusters.items():
            verdict.add([Source(key, key, key, trusted=True).reported(found)])

    def looked_at(self, source: Source) -> None:
        """Note that a module ran on the node or for the cluster, even if it failed."""
        if source.cluster is None:
            return
        verdict = self._of(source)
        verdict.checked = True
        if not source.trusted:
            verdict.answered.add(source.subject)

    def unreachable(self, source: Source, result: t.Mapping[str, t.Any], proxy: str | None = None) -> None:
        """Add an unreachable host. ``proxy``: the error of the ProxyCommand, used if ssh reports only a closed connection."""
        if source.cluster is None:
            return
        reason = str(result.get("msg") or "no message").strip().rpartition("\n")[2]
        if proxy and PROXY_ENDED in reason:
            reason = proxy
        found = pending(UNREACHABLE, f"is unreachable: {one_line(reason)}")
        self._of(source).add([source.reported(found, opening=f"{source.subject} ")])

    def is_worse(self, source: Source, *, than: str) -> bool:
        """Whether the status of the source's cluster is worse than the status ``than``."""
        verdict = self.clusters.get(str(source.cluster))
        return verdict is not None and STATUSES.index(verdict.status) > STATUSES.index(than)

    @property
    def status(self) -> str:
        """The worst status of all clusters. A cluster that no task checked counts only if no cluster was checked."""
        if self.not_read or self.refused or self.interrupted:
            return "failed"
        clusters = [each for each in self.clusters.values() if each.left != NOTHING_CHECKED or each.status != "skipped"]
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

    def _of(self, source: Source) -> ClusterVerdict:
        verdict = self.clusters.setdefault(str(source.cluster), ClusterVerdict())
        verdict.subjects.setdefault(source.subject, False)
        return verdict

    @staticmethod
    def _add_findings(verdict: ClusterVerdict, source: Source, value: t.Any) -> None:
        found = findings_of(value)
        if source.trusted:
            verdict.skipped = verdict.skipped or next((each.text for each in found if each.code == LOCK_HELD), "")
        verdict.add(source.reported(each) for each in found if each.code != LOCK_HELD)

    @staticmethod
    def _add_about(verdict: ClusterVerdict, source: Source, report: t.Any) -> None:
        if source.trusted and isinstance(report, t.Mapping):
            known = {name: report.get(name) for name, kind in ABOUT.items() if isinstance(report.get(name), kind)}
            verdict.about.update({name: _plain(each) for name, each in known.items()})


def _plain(value: t.Any) -> t.Any:
    if isinstance(value, t.Mapping):
        return {name: one_line(value[name]) for name in CERTIFICATES if isinstance(value.get(name), str)}
    return one_line(value) if isinstance(value, str) else value
