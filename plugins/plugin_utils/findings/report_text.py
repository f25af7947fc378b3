# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict as lines for a terminal and as an artifact for AWX. Both count repeated findings and changes. No I/O."""

from __future__ import annotations

import collections
import json
import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import KINDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Reported

if t.TYPE_CHECKING:
    from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import ClusterVerdict

INVENTORY = "(inventory)"
"""The heading for parts that the inventory could not read. It replaces a cluster's key, and no cluster can have this key."""
RUN = "(run)"
"""The heading for a run that was refused or interrupted. It replaces a cluster's key."""
MANY = 4
"""If at least this many nodes share a finding, it is printed once."""
ARTIFACT_SIZE = 64 * 1024
"""Maximum characters of JSON in the AWX artifact. The jobs of a workflow pass the artifact on as variables."""
_CUTS = ((20, 500), (5, 200), (1, 100), (0, 0))
"""Pairs of limits: the number of findings of each kind, and the characters of each text. The artifact uses the first pair with
which it fits into ``ARTIFACT_SIZE``.
"""
OTHER, OBJECT = "other", "Kubernetes object"
_KIND = re.compile(
    r"(?:ingress |egress |next )?(?:\S+ (?=host key))?(?:Hyperpod(?=NodeClass))?"
    r"(access entry|access|add-on|authorization rule|autoscaler|certificate|client VPN endpoint|cluster|compute quota|connection|"
    r"EKS cluster|event rule|extension|file system|file|folder|group|home|host certificate|host key|job|key file|keys|"
    r"Kueue's manager|"
    r"launch template|listener|load balancer|lock|message|network interface|node group|node|object|operations key|parameter|queue|"
    r"image tag|image|pod identity association|pod|quota|"
    r"readiness gate|record|revocation list|rollout|route|rule|scheduled work|scheduler configuration|secret|session|Slurm account|"
    r"Slurm node|slurmctld|software|sshd|subordinate IDs|sudo rule|target group|target network|target|trust record|user|volume|"
    r"ConfigMap|CronJob|HyperPodPyTorchJob|Job|JobSet|MPIJob|Namespace|NodeClass|NodePool|PyTorchJob|Role|RoleBinding|ScaledObject|"
    r"TrainJob)s?(?= |$)"
)
"""How the name of a changed resource begins."""
_OBJECT = re.compile(r"[A-Z][A-Za-z]+ \S+$")
"""Any other Kubernetes object. Users choose the kind of such an object, so the kind is not shown."""


def lines(
    clusters: t.Mapping[str, ClusterVerdict], *, not_read: t.Sequence[str], file: str, of_run: t.Sequence[str] = ()
) -> list[str]:
    """The lines for a terminal.

    :param not_read: parts that the inventory could not read.
    :param file: the file with the full report.
    :param of_run: why the whole run failed.
    """
    of_no_cluster = {RUN: list(of_run), INVENTORY: [f"not read: {sentence}" for sentence in not_read]}
    heads = {head: sentences for head, sentences in of_no_cluster.items() if sentences}
    width = max((len(key) for key in (*clusters, *heads)), default=0)
    shown = []
    for head, sentences in heads.items():
        shown.append(f"{head:<{width}}  failed")
        shown += [f"{'':<{width}}  - failure: {sentence}" for sentence in sentences]
    for key, verdict in sorted(clusters.items()):
        full_look = verdict.about.get("full_look")
        how = f" (AWS only, full look {full_look})" if full_look else ""
        shown.append(f"{key:<{width}}  {verdict.status:<9}{how}  {changes_line(verdict.changes)}".rstrip())
        shown += [f"{'':<{width}}  - {line}" for line in _about(verdict)]
        shown += [f"{'':<{width}}  - {line.kind}: {line.text}" for line in folded(verdict.shown(), file=file)]
    return shown


def kinds(changes: t.Sequence[t.Mapping[str, t.Any]]) -> dict[str, int]:
    """The number of changes of each kind of resource, most frequent first."""
    return dict(collections.Counter(kind_of(change["resource"]) for change in changes).most_common())


def kind_of(resource: str) -> str:
    found = _KIND.match(resource)
    if found:
        return found.group(1)
    return OBJECT if _OBJECT.match(resource) else OTHER


def changes_line(changes: t.Sequence[t.Mapping[str, t.Any]]) -> str:
    if not changes:
        return ""
    by_kind = ", ".join(f"{kind} {count}" for kind, count in kinds(changes).items())
    return f"{len(changes)} change{'' if len(changes) == 1 else 's'}: {by_kind}"


@dataclass(frozen=True)
class Line:
    """One finding, or the same finding of many nodes."""

    kind: str
    code: str
    severity: str
    nodes: int
    text: str

    def to_result(self, *, length: int) -> dict[str, t.Any]:
        text = self.text if len(self.text) <= length else f"{self.text[:length]}…"
        return {"kind": self.kind, "code": self.code, "severity": self.severity, "nodes": self.nodes, "text": text}


def folded(reports: t.Sequence[Reported], *, file: str) -> list[Line]:
    """The findings as lines. A finding that many nodes share has one line, at the position of the first node's finding."""
    alike: dict[t.Any, list[Reported]] = collections.defaultdict(list)
    for each in reports:
        if each.finding.node:
            alike[each.sort].append(each)
    shown, done = [], set()
    for each in reports:
        nodes = {other.finding.node for other in alike.get(each.sort, ())}
        if not each.finding.node or len(nodes) < MANY:
            shown.append(_line(each, min(len(nodes), 1), each.shown))
        elif each.sort not in done:
            done.add(each.sort)
            shown.append(_line(each, len(nodes), f"{_of_many(alike[each.sort], len(nodes))}; the list is in {file}"))
    return shown


def _of_many(alike: t.Sequence[Reported], nodes: int) -> str:
    """The common line of many nodes. It shows the most frequent text, so that a single node can't choose the text for all."""
    texts = collections.Counter(each.in_brief for each in alike)
    shown = texts.most_common(1)[0][0].removesuffix(".")
    return f"{nodes} nodes: {shown}" if len(texts) == 1 else f"{nodes} nodes, most often: {shown}"


def _line(reported: Reported, nodes: int, text: str) -> Line:
    return Line(reported.finding.kind, reported.finding.code, reported.finding.severity, nodes, text)


def artifact(report: t.Mapping[str, t.Any], clusters: t.Mapping[str, ClusterVerdict], *, file: str) -> dict[str, t.Any]:
    """The report with counted changes and one line for a shared finding; it has at most ``ARTIFACT_SIZE`` characters."""
    lines = {key: folded(verdict.shown(), file=file) for key, verdict in clusters.items()}
    for most, length in _CUTS:
        brief = {
            key: {
                **report["clusters"][key],
                "changes": kinds(verdict.changes),
                "findings": _cut(lines[key], most, length),
                "codes": codes(verdict),
            }
            for key, verdict in sorted(clusters.items())
        }
        found = {**report, "clusters": brief}
        if len(json.dumps(found)) <= ARTIFACT_SIZE:
            return found
    return {**report, "clusters": {key: {"status": verdict.status} for key, verdict in sorted(clusters.items())}}


def stored_artifact(report: t.Mapping[str, t.Any], address: str) -> dict[str, t.Any]:
    """The statuses of a report that is stored at the address."""
    statuses = {key: {"status": found["status"]} for key, found in report["clusters"].items()}
    return {**{name: report[name] for name in ("schema", "status")}, "stored": address, "clusters": statuses}


def codes(verdict: ClusterVerdict) -> dict[str, int]:
    """The number of findings of each code."""
    return dict(collections.Counter(each.finding.code for each in verdict.shown()))


def _cut(lines: t.Sequence[Line], most: int, length: int) -> list[dict[str, t.Any]]:
    """The first ``most`` lines of each kind."""
    kept = [each for kind in KINDS for each in [line for line in lines if line.kind == kind][:most]]
    return [each.to_result(length=length) for each in kept]


def _about(verdict: ClusterVerdict) -> list[str]:
    name, files = verdict.about.get("login_name"), verdict.about.get("people_files")
    parts = [f"users log in at {name}"] if name else []
    parts += [f"files for users are in {files}"] if files else []
    return ["; ".join(parts)] if parts else []
