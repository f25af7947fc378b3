# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings that many nodes have. Their cause is more likely the image, driver, thresholds or tools than the hardware."""

from __future__ import annotations

import collections
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import REBOOT, REPLACE

SHARE, LEAST = 0.2, 3
"""A finding is common if more than this share of the checked nodes, and at least this number of nodes, have it."""
_EVENT = re.compile(r"(?:^| )(S?Xid [0-9]{1,9})$")
"""The event at the end of a problem's key."""
Finding = tuple[str, str]
"""A code and its Xid or SXid event. The event is empty for other codes."""


def finding_of(problem: t.Mapping[str, t.Any]) -> Finding:
    """The code and the event of a problem. Different Xids share a code, but not a cause."""
    found = _EVENT.search(problem["key"])
    return problem["code"], found[1] if found else ""


def common(clusters: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """One row for each cluster and each common finding that makes nodes unfit. ``clusters``: as in the document."""
    return [row for key, cluster in clusters.items() for row in _of_cluster(key, cluster["nodes"])]


def read_of(nodes: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The checked nodes among all nodes of a cluster."""
    return {iid: node for iid, node in nodes.items() if node["looked_at"] or node["problems"]}


def _of_cluster(key: str, nodes: t.Mapping[str, t.Any]) -> t.Iterator[dict[str, t.Any]]:
    read = read_of(nodes)
    having: dict[Finding, list[str]] = collections.defaultdict(list)
    for iid, node in read.items():
        for finding in {finding_of(each) for each in node["problems"] if each["verdict"] in (REBOOT, REPLACE)}:
            having[finding].append(iid)
    for (code, event), ids in sorted(having.items()):
        if len(ids) >= LEAST and len(ids) > SHARE * len(read):
            what = f"{code} ({event})" if event else code
            text = (
                f"{len(ids)} of {len(read)} nodes have {what}. Find the common cause (image, driver, thresholds, tool) before you "
                "reboot or replace any of these nodes."
            )
            yield {"cluster": key, "code": code, "event": event, "nodes": sorted(ids), "of": len(read), "text": text}
