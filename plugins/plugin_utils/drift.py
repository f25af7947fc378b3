# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift that a run in check mode found, for the screen, build servers and monitoring. No I/O: verdicts in, texts out."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass
from xml.etree import ElementTree

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE, PENDING
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_epoch
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.report_text import INVENTORY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import ClusterVerdict
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.metrics.text import Family, rendered
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import junit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text

SCHEMA = 2
IN_SYNC, UNKNOWN, DRIFT = 0, 1, 2
"""Exit statuses, which are also the values of the status metric. Drift takes precedence over unknown results."""
WORDS = {IN_SYNC: "in sync", UNKNOWN: "could not tell", DRIFT: "drift"}
_CLUSTER = ("cluster",)
INVENTORY_FAILURES = Family("drift_inventory_failures", "Parts of the inventory that could not be read.")
STATUS = Family("drift_status", "Last drift check: 0 in sync, 1 unknown, 2 drift.", _CLUSTER)
CHANGES = Family("drift_changes", "Changes that a run would make.", _CLUSTER)
PENDING_FINDINGS = Family("drift_pending", "Pending findings of the last drift check.", _CLUSTER)
FAILURES = Family("drift_failures", "Failures of the last drift check.", _CLUSTER)
CHECKED = Family("drift_timestamp_seconds", "When the last drift check ended.", _CLUSTER)
FINDINGS = Family("drift_findings", "Findings by kind and code.", ("cluster", "kind", "code"))


@dataclass(frozen=True)
class Found:
    """The verdicts on the clusters of one run, and the time of the run."""

    clusters: t.Mapping[str, ClusterVerdict]
    now: int
    not_read: tuple[str, ...] = ()
    """Sentences about parts that the inventory could not read."""

    @property
    def exit_status(self) -> int:
        found = {status(verdict) for verdict in self.clusters.values()} | ({UNKNOWN} if self.not_read else set())
        return max(found, default=UNKNOWN)

    def line(self) -> str:
        count = len(self.clusters)
        looked = f"drift: {WORDS[self.exit_status]}; {count} cluster{'' if count == 1 else 's'} checked"
        return "; not read: ".join([looked, *self.not_read])

    def to_json(self) -> str:
        clusters = {
            key: {
                **verdict.to_report(),
                "status": WORDS[status(verdict)],
                "hosts": sorted(verdict.subjects),
            }
            for key, verdict in sorted(self.clusters.items())
        }
        document = {
            "schema": SCHEMA,
            "created": iso_epoch(self.now),
            "status": WORDS[self.exit_status],
            "exit_status": self.exit_status,
            "inventory_failures": list(self.not_read),
            "clusters": clusters,
        }
        return json_text(document)

    def to_junit(self) -> str:
        """JUnit with a suite for each cluster, and cases for the cluster and each of its nodes. Drift is a failure, and an unknown
        result is an error. A further suite lists the parts that the inventory could not read.
        """
        root = ElementTree.Element("testsuites", name="mlfleet.hyperpod drift")
        for key, verdict in sorted(self.clusters.items()):
            suite = junit.add_suite(root, key, timestamp=iso_epoch(self.now).rstrip("Z"))
            for subject in sorted({*verdict.subjects, key}):
                _add_case(suite, key, subject, verdict)
        if self.not_read:
            suite = junit.add_suite(root, INVENTORY)
            for number, sentence in enumerate(self.not_read, start=1):
                junit.add_case(suite, INVENTORY, f"part {number}", "error", kind="unknown", message=sentence)
        return junit.counted(root)

    def to_prometheus(self) -> str:
        """Metrics for the text file collector of node_exporter."""
        clusters = sorted(self.clusters.items())
        found = collections.Counter(
            (key, each.finding.kind, each.finding.code) for key, verdict in clusters for each in verdict.shown()
        )
        return rendered({
            INVENTORY_FAILURES: {(): len(self.not_read)},
            STATUS: {(key,): status(verdict) for key, verdict in clusters},
            CHANGES: {(key,): len(verdict.changes) for key, verdict in clusters},
            PENDING_FINDINGS: {(key,): len(verdict.reported(PENDING)) for key, verdict in clusters},
            FAILURES: {(key,): len(verdict.reported(FAILURE)) for key, verdict in clusters},
            CHECKED: {(key,): self.now for key, _verdict in clusters},
            FINDINGS: dict(sorted(found.items())),
        })


def judge(clusters: t.Mapping[str, ClusterVerdict], *, now: int, not_read: t.Sequence[str] = ()) -> Found:
    return Found(dict(clusters), now, tuple(not_read))


def status(verdict: ClusterVerdict) -> int:
    if verdict.changed:
        return DRIFT
    return UNKNOWN if verdict.reported(FAILURE, PENDING) or verdict.left else IN_SYNC


def _add_case(suite: ElementTree.Element, key: str, subject: str, verdict: ClusterVerdict) -> None:
    changes = [_words(change) for change in verdict.changes if change["host"] == subject]
    if verdict.subjects.get(subject):
        lines = changes or ["changed, by a task that does not name its changes"]
        junit.add_case(suite, key, subject, "failure", kind="drift", message=f"{len(lines)} differ", text="\n".join(lines))
    elif doubts := _doubts(verdict, key, subject):
        codes, texts = zip(*doubts)
        junit.add_case(suite, key, subject, "error", kind=codes[0], message=texts[0], text="\n".join(texts))
    else:
        junit.add_case(suite, key, subject)


def _doubts(verdict: ClusterVerdict, key: str, subject: str) -> list[tuple[str, str]]:
    """Why it is unknown whether the subject has drifted, as codes and texts."""
    doubts = [*verdict.reported(FAILURE), *verdict.reported(PENDING)]
    said = [(each.finding.code, each.shown) for each in doubts if each.host == subject]
    return said + ([(verdict.left_code, verdict.left)] if verdict.left and subject == key else [])


def _words(change: t.Mapping[str, t.Any]) -> str:
    """A description of a change without its values. Many people can read a build server's output; the JSON has the values."""
    return " ".join(str(change[name]) for name in ("action", "resource", "field") if change.get(name))
