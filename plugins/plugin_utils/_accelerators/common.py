# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same finding on many nodes: more likely a fault of image, driver, profile or tool than of all their hardware. Pure."""

from __future__ import annotations

import collections
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import REBOOT, REPLACE

SHARE, LEAST = 0.2, 3
"""A common finding affects more than this share of the checked nodes, and at least this many."""
_EVENT = re.compile(r"(?:^| )(S?Xid [0-9]{1,9})$")
"""At the end of a problem's key."""
Finding = tuple[str, str]
"""A code, and which Xid or SXid it is; empty for others."""


def finding_of(problem: t.Mapping[str, t.Any]) -> Finding:
    """Code and event: different Xids share a code, but not a cause."""
    found = _EVENT.search(problem["key"])
    return problem["code"], found[1] if found else ""


def common(clusters: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """Rows by cluster and finding, for problems that make a node unfit. ``clusters``: as in the document."""
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
                f"{len(ids)} of {len(read)} nodes have {what}. Find their common cause first (image, driver, profile or tool), "
                "before you reboot or replace any of them."
            )
            yield {"cluster": key, "code": code, "event": event, "nodes": sorted(ids), "of": len(read), "text": text}
