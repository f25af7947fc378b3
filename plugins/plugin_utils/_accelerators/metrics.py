# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Formats the document as Prometheus metrics with a limited number of time series."""

from __future__ import annotations

import collections
import itertools
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import VERDICTS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.metrics.text import Family, rendered

from .forms import Document, nodes

MOST_NODES = 2000
"""The largest number of nodes with their own time series. The nodes with the worst verdicts come first."""
MOST_PROBLEMS = 10
"""The largest number of codes with their own time series for each node, the worst first."""
OTHER = "other"
"""The label ``code`` of the other problems of a node, and the label ``node`` of all problems of the other nodes."""

NODES = Family("accelerators_nodes", "The number of nodes with accelerators, by verdict.", ("cluster", "verdict"))
VERDICT = Family("accelerators_verdict", "The verdict of each node with accelerators.", ("cluster", "node", "verdict"))
LEFT_OUT = Family("accelerators_nodes_left_out", "The number of nodes without their own time series.", ("cluster",))
PROBLEMS = Family(
    "accelerators_problems", "The number of problems of each node, by code and verdict.", ("cluster", "node", "code", "verdict")
)
NOT_READ = Family("accelerators_not_read", "The number of clusters, accounts and Regions that could not be read.")
CHECKED = Family("accelerators_timestamp_seconds", "The time when the nodes were checked.")


def to_prometheus(document: Document) -> str:
    judged = [each for each in nodes(document) if each[2]["verdict"]]
    ranked = sorted(judged, key=lambda each: VERDICTS.index(each[2]["verdict"]), reverse=True)
    shown, left_out = ranked[:MOST_NODES], ranked[MOST_NODES:]
    by_verdict = collections.Counter((key, node["verdict"]) for key, _iid, node in judged)
    left = collections.Counter(key for key, _iid, _node in left_out)
    problems: collections.Counter[tuple[str, ...]] = collections.Counter()
    for key, iid, node in shown:
        for code, verdict, count in _problems(node):
            problems[key, iid, code, verdict] += count
    problems.update((key, OTHER, each["code"], each["verdict"]) for key, _iid, node in left_out for each in node["problems"])
    unread = sum(1 for cluster in document["clusters"].values() if cluster["failure"]) + len(document["inventory_failures"])
    return rendered({
        NODES: {(key, verdict): by_verdict[key, verdict] for key, verdict in itertools.product(document["clusters"], VERDICTS)},
        VERDICT: {(key, iid, node["verdict"]): 1 for key, iid, node in sorted(shown, key=lambda each: each[:2])},
        LEFT_OUT: {(key,): left[key] for key in document["clusters"]},
        PROBLEMS: dict(sorted(problems.items())),
        NOT_READ: {(): unread},
        CHECKED: {(): int(moment_of(document["created"]).timestamp())},
    })


def _problems(node: t.Mapping[str, t.Any]) -> t.Iterator[tuple[str, str, int]]:
    """The code, the verdict and the number of each kind of problem, with the least severe kinds combined."""
    counts = collections.Counter((each["code"], each["verdict"]) for each in node["problems"])
    ranked = sorted(counts.items(), key=lambda each: (-VERDICTS.index(each[0][1]), each[0][0]))
    for number, ((code, verdict), count) in enumerate(ranked):
        yield code if number < MOST_PROBLEMS else OTHER, verdict, count
