# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict for a person at a terminal, and for AWX: sentences and changes that are many are counted. Pure."""

from __future__ import annotations

import collections
import json
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told import Sentence

if t.TYPE_CHECKING:
    from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verdict import ClusterVerdict

INVENTORY = "(inventory)"
"""Where the report has a cluster, for what the inventory could not read; no cluster can be called so."""
RUN = "(run)"
"""As well, for why the run was refused."""
SHOWN = ("failures", "pending", "notes")
MANY = 4
"""From so many nodes on, a sentence that is the same for all of them is told once."""
ARTIFACT_SIZE = 64 * 1024
"""Characters of JSON that AWX is given to keep; jobs of a workflow hand them on as variables."""
_CUTS = ((20, 500), (5, 200), (1, 100), (0, 0))
"""Sentences of each kind and their length in that JSON: the first of these that fits."""
_ID = r"i-[0-9a-f]{8,17}"
_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
_OF_NODE = re.compile(rf"(?:node )?(?:{_ADDRESS} )?\(?(?P<node>{_ID})\)?(?: \([^()]*\))?:? (?P<rest>.+)")
_OWN = re.compile(rf"{_ID}|{_ADDRESS}|SHA256:\S+")
"""What differs from node to node in what is otherwise the same."""
_KIND = re.compile(
    r"(?:ingress |egress |next )?(?:\S+ (?=host key))?"
    r"(access|authorization rule|certificate|client VPN endpoint|connection|file|folder|group|home|host certificate|host key|"
    r"job|key file|keys|listener|load balancer|lock|message|operations key|parameter|readiness gate|record|revocation list|"
    r"route|rule|scheduled work|secret|session|Slurm account|sshd|subordinate IDs|sudo rule|target group|target network|"
    r"target|trust record|user)s?(?= |$)"
)
"""How the resource of a change begins; what a node calls otherwise is not shown."""


def lines(
    clusters: t.Mapping[str, ClusterVerdict], *, not_read: t.Sequence[str], file: str, refused: t.Sequence[str] = ()
) -> list[str]:
    """``not_read``: by the inventory. ``file``: where whoever wants each sentence of many finds them."""
    of_no_cluster = {RUN: list(refused), INVENTORY: [f"not read: {sentence}" for sentence in not_read]}
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
        for kind in SHOWN:
            sentences = folded(verdict.sentences(kind), file=file)
            shown += [f"{'':<{width}}  - {kind.removesuffix('s')}: {sentence}" for sentence in sentences]
    return shown


def kinds(changes: t.Sequence[t.Mapping[str, t.Any]]) -> dict[str, int]:
    """How many changes of each kind of resource, most first."""
    found = (_KIND.match(change["resource"]) for change in changes)
    return dict(collections.Counter(match.group(1) if match else "other" for match in found).most_common())


def changes_line(changes: t.Sequence[t.Mapping[str, t.Any]]) -> str:
    if not changes:
        return ""
    by_kind = ", ".join(f"{kind} {count}" for kind, count in kinds(changes).items())
    return f"{len(changes)} change{'' if len(changes) == 1 else 's'}: {by_kind}"


def folded(sentences: t.Sequence[Sentence], *, file: str) -> list[str]:
    """What is the same for many nodes as one line, where the first of them stood."""
    nodes: dict[tuple[bool, str], set[str]] = collections.defaultdict(set)
    parts = [_parts(sentence) for sentence in sentences]
    for sentence, (node, rest) in zip(sentences, parts):
        if node:
            nodes[sentence.trusted, rest].add(node)
    shown, done = [], set()
    for sentence, (node, rest) in zip(sentences, parts):
        key = (sentence.trusted, rest)
        if not node or len(nodes[key]) < MANY:
            shown.append(sentence.shown)
        elif key not in done:
            done.add(key)
            shown.append(f"{len(nodes[key])} nodes: {rest.removesuffix('.')}; the list is in {file}")
    return shown


def artifact(report: t.Mapping[str, t.Any], clusters: t.Mapping[str, ClusterVerdict], *, file: str) -> dict[str, t.Any]:
    """The report without the changes themselves, with folded sentences, no longer than ``ARTIFACT_SIZE``."""
    for most, length in _CUTS:
        brief = {
            key: {
                **report["clusters"][key],
                "changes": kinds(verdict.changes),
                **{kind: _cut(folded(verdict.sentences(kind), file=file), most, length) for kind in SHOWN},
            }
            for key, verdict in sorted(clusters.items())
        }
        found = {**report, "clusters": brief}
        if len(json.dumps(found)) <= ARTIFACT_SIZE:
            return found
    return {**report, "clusters": {key: {"status": verdict.status} for key, verdict in sorted(clusters.items())}}


def _cut(sentences: t.Sequence[str], most: int, length: int) -> list[str]:
    kept = [each if len(each) <= length else f"{each[:length]}…" for each in sentences[:most]]
    left = len(sentences) - most
    return kept + ([f"and {left} more"] if left > 0 else [])


def _about(verdict: ClusterVerdict) -> list[str]:
    name, files = verdict.about.get("login_name"), verdict.about.get("people_files")
    told = [f"people log in at {name}"] if name else []
    told += [f"the files for people are in {files}"] if files else []
    return ["; ".join(told)] if told else []


def _parts(sentence: Sentence) -> tuple[str | None, str]:
    """The node that a sentence is about, and what it says of it without what only this node has."""
    match = _OF_NODE.fullmatch(sentence.shown)
    if match is None or (not sentence.trusted and match["node"] != sentence.subject):
        return None, sentence.text
    return match["node"], _OWN.sub("…", match["rest"])
