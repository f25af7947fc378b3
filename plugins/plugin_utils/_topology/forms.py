# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The document as lines for the screen. Pure, no I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import STATES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import table

Document = t.Mapping[str, t.Any]
HEAD = ("JOB", "CLUSTER", "NODES", "COMMON NETWORK NODE", "BELOW")
HEALTH = {"unhealthy": "is unhealthy now: {why}", "well": "is well again"}
MOST_JOBS = 10
"""The most new or ended jobs in a line; the page and the document have all of them."""


def lines(document: Document) -> list[str]:
    """One line per cluster, then jobs that could be nearer, then changes."""
    listed = [line for key, cluster in document["clusters"].items() for line in _cluster(key, cluster)]
    listed += [line for key, cluster in document["clusters"].items() for line in _answer(key, cluster, document["needed"])]
    rows = [row for key, cluster in document["clusters"].items() for row in _jobs(key, cluster)]
    changes = [line for key, cluster in document["clusters"].items() for line in _changes(key, cluster)]
    not_read = [f"Not read by the inventory: {each}" for each in document["inventory_failures"]]
    return [*listed, *not_read, *(table(HEAD, rows) if rows else []), *changes]


def _cluster(key: str, cluster: Document) -> t.Iterator[str]:
    if cluster["failure"]:
        yield f"{key}: {cluster['failure']}"
        return
    counts = ", ".join(f"{cluster['counts'][state]} {state}" for state in STATES)
    free = [f"layer {each['layer']}: {each['largest']} of {each['free']}" for each in cluster["blocks"]]
    blocks = f" Most free nodes below one network node: {'; '.join(free)}." if free else ""
    unknown = f" {len(cluster['untold'])} of them have no topology data." if cluster["untold"] else ""
    yield f"{key}: {len(cluster['nodes'])} nodes: {counts}.{blocks}{_ultraservers(cluster)}{unknown}"


def _ultraservers(cluster: Document) -> str:
    found = [each["free"] for each in cluster["ultraservers"]]
    return f" Most free nodes in one UltraServer: {max(found)} of {sum(found)}." if found else ""


def _answer(key: str, cluster: Document, needed: Document) -> t.Iterator[str]:
    if not needed["nodes"] or cluster["failure"]:
        return
    job = f"{key}: a job on {needed['nodes']} nodes{needed['instance_type'] and ' of ' + needed['instance_type']}"
    found, moves = cluster["near"], cluster["moves"]
    if found:
        near = "the nearest possible" if found["spread"] == 0 else "in common"
        yield f"{job} would be nearest below {_path(found['path'])} ({near}): {', '.join(found['nodes'])}."
    else:
        yield f"{job} would not fit: too few nodes are free."
    if moves and moves["nodes"] and not (found and found["spread"] == 0):
        leave = f"{', '.join(moves['jobs'])} would have to leave {', '.join(moves['nodes'])}"
        yield f"{key}: for as many below {_path(moves['path'])}, {leave}."


def _jobs(key: str, cluster: Document) -> list[tuple[str, str, str, str, str]]:
    spread = [each for each in cluster["jobs"] if each["last"] != 1 or each["untold"]]
    return [(each["job"], key, str(len(each["nodes"])), _path(each["path"]), f"{each['last']} network nodes") for each in spread]


def _changes(key: str, cluster: Document) -> t.Iterator[str]:
    for each in cluster["changes"]:
        yield f"{key}: {each['node']} {change(each)}"
    for what, jobs in cluster["job_changes"].items():
        if jobs:
            more = f", and {len(jobs) - MOST_JOBS} more" if len(jobs) > MOST_JOBS else ""
            yield f"{key}: jobs {what}: {', '.join(jobs[:MOST_JOBS])}{more}"


def change(row: Document) -> str:
    """A description of a node's change."""
    if "before" in row:
        return f"moved from {_path(row['before'])} to {_path(row['layers'])}"
    if row["what"] in HEALTH:
        return HEALTH[row["what"]].format(**row)
    return f"{row['what']}: {_path(row['layers'])}"


def _path(layers: t.Sequence[str]) -> str:
    return " > ".join(layers) or "unknown"
