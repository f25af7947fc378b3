# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes and Pods in which the ranks of each job ran."""

from __future__ import annotations

import itertools
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Html, element
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, folded

from ..efa_traffic import NOT_KNOWN, of_node
from .words import Document, chapter, table

OPEN = 8
"""The tables of jobs with up to this number of Pods are expanded."""
NOT_REPORTED = "not reported"


def placement(jobs: t.Sequence[tuple[str, Document]]) -> Html:
    made = [_of_job(name, job) for name, job in jobs if job.get("pods")]
    return chapter("Placement", made if made else element("p", "No rank reported where it ran."))


def _of_job(name: str, job: Document) -> Html:
    pods: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
    for each in job["pods"]:
        pods.setdefault((each["node"], each["pod"], tuple(each.get("layers") or ())), []).append(each["rank"])
    layers = [each for _node, _pod, each in pods]
    sent = {each["pod"]: of_node(each) for each in job.get("efa_traffic") or ()}
    summary = f"{name}: {count(len(job['pods']), 'rank')} in {count(len(pods), 'Pod')}{_below(layers)}"
    rows = [
        (
            *(ranges(ranks), element("code", node or NOT_REPORTED), element("code", pod)),
            *([sent.get(pod, NOT_KNOWN)] if sent else []),
            *([_path(path)] if any(layers) else []),
        )
        for (node, pod, path), ranks in pods.items()
    ]
    more = [*(["Sent over EFA"] if sent else []), *(["Network nodes, from layer 1"] if any(layers) else [])]
    header = ("Ranks", "Node", "Pod", *more)
    return folded(summary, table(header, rows, label=f"Placement of {name}"), open_=len(pods) <= OPEN)


def _path(layers: t.Sequence[str]) -> Html | str:
    return element("code", " / ".join(layers)) if layers else NOT_REPORTED


def _below(layers: t.Sequence[tuple[str, ...]]) -> str:
    """The closest network node above all Pods, as the end of the summary; empty unless all Pods have a layer 1."""
    if not all(layers):
        return ""
    common = [names[0] for names in itertools.takewhile(lambda names: len({*names}) == 1, zip(*layers, strict=False))]
    return f", below {common[-1]} of network layer {len(common)}" if common else ", below different network nodes of layer 1"


def ranges(numbers: t.Iterable[int]) -> str:
    """The numbers as ranges, such as ``0 to 7, 9``."""
    found: list[tuple[int, int]] = []
    for each in sorted(numbers):
        if found and found[-1][1] == each - 1:
            found[-1] = (found[-1][0], each)
        else:
            found.append((each, each))
    return ", ".join(f"{first} to {last}" if last > first else str(first) for first, last in found)
