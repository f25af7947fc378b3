# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of the page: jobs, free nodes by layer, changes, and the map as Mermaid text."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, folded, moment, number

from ..forms import CAME, change

Said = t.Mapping[str, t.Any]
LINE_END = Html("\n")


def jobs(cluster: Said, numbers: t.Mapping[str, int]) -> Html:
    """The jobs, each with a button that marks its nodes in the boxes. For jobs on several nodes, also how near these nodes are."""
    wide = {each["job"] for each in cluster["jobs"]}
    on_one = sorted((job, name) for name, node in cluster["nodes"].items() for job in node["jobs"] if job not in wide)
    return joined(_wide(cluster["jobs"], numbers), _on_one(on_one, numbers))


def _wide(found: t.Sequence[Said], numbers: t.Mapping[str, int]) -> Html:
    if not found:
        return element("p", "No job is on more than one node.", class_="dim")
    rows = sorted(found, key=lambda each: (-each["last"], -len(each["nodes"]), each["job"]))
    return element("ul", (element("li", _button(each["job"], numbers), " ", _where(each)) for each in rows), class_="jobs")


def _on_one(found: t.Sequence[tuple[str, str]], numbers: t.Mapping[str, int]) -> Html:
    """:param found: names of jobs and of their nodes."""
    if not found:
        return NOTHING
    rows = (element("li", _button(job, numbers), " ", element("code", node)) for job, node in found)
    return folded(f"{count(len(found), 'job')} on one node", element("ul", rows, class_="jobs"))


def _button(job: str, numbers: t.Mapping[str, int]) -> Html:
    return element("button", job, type="button", data_job=str(numbers[job]), aria_pressed="false")


def _where(job: Said) -> Html:
    common = " > ".join(job["path"])
    below = "the nearest possible" if job["last"] == 1 else f"below {job['last']} network nodes of the last layer"
    parts = [
        count(len(job["nodes"]), "node"),
        "no topology data" if not job["last"] else below,
        f"common network node: {common}" if common else "no common network node",
        f"{count(len(job['untold']), 'node')} without topology data" if job["untold"] and job["last"] else "",
    ]
    return element("span", separated(" · ", parts))


def blocks(cluster: Said) -> Html:
    if not cluster["blocks"]:
        return NOTHING
    rows = [(f"layer {each['layer']}", each["largest"], each["free"]) for each in cluster["blocks"]]
    return _most("Most free nodes below one network node:", rows)


def ultraservers(cluster: Said) -> Html:
    free = [each["free"] for each in cluster["ultraservers"]]
    if not free:
        return NOTHING
    return _most("Most free nodes in one UltraServer:", [(count(len(free), "UltraServer"), max(free), sum(free))])


def _most(head: str, rows: t.Iterable[tuple[str, int, int]]) -> Html:
    """:param rows: name, largest number, and sum."""
    listed = (element("li", f"{name}: ", element("b", most), f" of {free}") for name, most, free in rows)
    return joined(element("p", head, class_="dim"), element("ul", listed, class_="inline"))


def counts(key: str, cluster: Said) -> Html:
    items = (
        element("li", element("b", number(many, f"{key} {state}")), f" {state}") for state, many in cluster["counts"].items()
    )
    return element("ul", items, class_="figures")


def changes(cluster: Said) -> Html:
    """The changes since the last run; empty if the cluster was not compared."""
    if not cluster["compared_with"]:
        return NOTHING
    rows = [joined(element("code", each["node"]), f" {change(each)}") for each in cluster["changes"]]
    jobs_changed = ((what, job) for what, found in cluster["job_changes"].items() for job in found)
    rows += [
        joined("job ", element("code", job), " is new" if what == CAME else " is no longer on a node") for what, job in jobs_changed
    ]
    head = joined("Since ", moment(str(cluster["compared_with"])), ": ", count(len(rows), "change"))
    if not rows:
        return element("p", head, class_="dim")
    return folded(head, element("ul", (element("li", row) for row in rows)))


def source(cluster: Said) -> Html:
    lines = (element("span", line, LINE_END) for line in cluster["mermaid"].splitlines())
    return folded("The map as Mermaid text", element("pre", element("code", lines)))
