# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The document as lines for the screen."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import STATES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import table

Document = t.Mapping[str, t.Any]
HEAD = ("JOB", "CLUSTER", "NODES", "COMMON NETWORK NODE", "BELOW")
HEALTH = {"unhealthy": "is unhealthy now: {why}", "well": "is healthy again"}
CAME = "came"
JOBS = {CAME: "new jobs", "gone": "jobs that are no longer on a node"}
MOST_JOBS = 10
"""The maximum number of new or ended jobs in a line. The page and the document have all of them."""


def lines(document: Document) -> list[str]:
    """One line per cluster, then answers about the planned job, then jobs whose nodes could be nearer, then changes."""
    listed = [line for key, cluster in document["clusters"].items() for line in _cluster(key, cluster)]
    listed += [line for key, cluster in document["clusters"].items() for line in _answer(key, cluster, document["needed"])]
    rows = [row for key, cluster in document["clusters"].items() for row in _jobs(key, cluster)]
    changes = [line for key, cluster in document["clusters"].items() for line in _changes(key, cluster)]
    not_read = [f"The inventory could not be read completely: {each}" for each in document["inventory_failures"]]
    return [*listed, *not_read, *(table(HEAD, rows) if rows else []), *changes]


def _cluster(key: str, cluster: Document) -> t.Iterator[str]:
    if cluster["failure"]:
        yield f"{key}: {cluster['failure']}"
        return
    counts = ", ".join(f"{cluster['counts'][state]} {state}" for state in STATES)
    free = [f"{each['largest']} of {each['free']} in layer {each['layer']}" for each in cluster["blocks"]]
    blocks = f" Most free nodes below one network node: {', '.join(free)}." if free else ""
    unknown = f" Nodes without topology data: {len(cluster['untold'])}." if cluster["untold"] else ""
    yield f"{key}: {_nodes(len(cluster['nodes']))}: {counts}.{blocks}{_ultraservers(cluster)}{unknown}"


def _ultraservers(cluster: Document) -> str:
    found = [each["free"] for each in cluster["ultraservers"]]
    return f" Most free nodes in one UltraServer: {max(found)} of {sum(found)}." if found else ""


def _answer(key: str, cluster: Document, needed: Document) -> t.Iterator[str]:
    if not needed["nodes"] or cluster["failure"]:
        return
    job = f"a job on {_nodes(needed['nodes'])}{needed['instance_type'] and ' of type ' + needed['instance_type']}"
    found, moves = cluster["near"], cluster["moves"]
    if found:
        near = " (the nearest possible placement)" if found["spread"] == 0 else ""
        where = f"below {_path(found['path'])}{near}" if found["path"] else "without a known common network node"
        yield f"{key}: the nearest free nodes for {job} are {where}: {', '.join(found['nodes'])}."
    else:
        yield f"{key}: too few nodes are free for {job}."
    if moves and moves["nodes"] and not (found and found["spread"] == 0):
        leave = f"if {', '.join(moves['jobs'])} left {', '.join(moves['nodes'])}"
        yield f"{key}: {_nodes(needed['nodes'])} below {_path(moves['path'])} would be free {leave}."


def _jobs(key: str, cluster: Document) -> list[tuple[str, str, str, str, str]]:
    spread = [each for each in cluster["jobs"] if each["last"] != 1 or each["untold"]]
    below = [_nodes(each["last"], "network node") for each in spread]
    return [(each["job"], key, str(len(each["nodes"])), _path(each["path"]), last) for each, last in zip(spread, below)]


def _changes(key: str, cluster: Document) -> t.Iterator[str]:
    for each in cluster["changes"]:
        yield f"{key}: {each['node']} {change(each)}"
    for what, jobs in cluster["job_changes"].items():
        if jobs:
            more = f", and {len(jobs) - MOST_JOBS} more" if len(jobs) > MOST_JOBS else ""
            yield f"{key}: {JOBS[what]}: {', '.join(jobs[:MOST_JOBS])}{more}"


def change(row: Document) -> str:
    """The predicate of a sentence about a node's change."""
    if "before" in row:
        return f"moved from {_path(row['before'])} to {_path(row['layers'])}"
    if row["what"] in HEALTH:
        return HEALTH[row["what"]].format(**row)
    where = f"below {_path(row['layers'])}" if row["layers"] else "without topology data"
    return f"is new, {where}" if row["what"] == CAME else f"no longer exists; it was {where}"


def _nodes(number: int, noun: str = "node") -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _path(layers: t.Sequence[str]) -> str:
    return " > ".join(layers) or "unknown"
