# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same finding on many nodes: rather the image, the driver, the profile or the tool than the hardware of all of them. Pure."""

from __future__ import annotations

import collections
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import REBOOT, REPLACE

SHARE, LEAST = 0.2, 3
"""More than this share of the nodes that were looked at, and at least so many."""
_EVENT = re.compile(r"(?:^| )(S?Xid [0-9]{1,9})$")
"""At the end of a problem's key."""
Finding = tuple[str, str]
"""A code, and which Xid or SXid it is; empty for others."""


def finding_of(problem: t.Mapping[str, t.Any]) -> Finding:
    """What is the same on several nodes: two Xids share a code, and no cause."""
    found = _EVENT.search(problem["key"])
    return problem["code"], found[1] if found else ""


def common(clusters: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """By cluster and finding, of what makes a node unfit; ``clusters`` as in the document."""
    return [row for key, cluster in clusters.items() for row in _of_cluster(key, cluster["nodes"])]


def read_of(nodes: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Those that were looked at, of all nodes of a cluster."""
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
                f"{len(ids)} of {len(read)} nodes have {what}. Look at what they have in common first: image, driver, profile or "
                "tool, before you reboot or replace any of them for it."
            )
            yield {"cluster": key, "code": code, "event": event, "nodes": sorted(ids), "of": len(read), "text": text}
