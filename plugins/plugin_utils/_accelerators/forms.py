# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Formats the document as text and JUnit XML."""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    FIT,
    UNKNOWN,
    VERDICTS,
    WATCH,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.report_text import INVENTORY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import junit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import table

Document = t.Mapping[str, t.Any]
HEAD = ("NODE", "CLUSTER", "GROUP", "TYPE", "VERDICT", "WHAT")


def lines(document: Document) -> list[str]:
    """The lines for the screen: coverage and verdicts, then the actions, then one row for each reason why a node is not fit."""
    summary = [coverage(document), verdicts(document)]
    summary += [f"{each['action']}: {each['cluster']}: {', '.join(each['nodes'])}: {each['text']}" for each in document["actions"]]
    rows = [
        (iid, key, node["instance_group"], node["instance_type"], node["verdict"], what)
        for key, iid, node in nodes(document)
        for what in why(node)
    ]
    return summary + (table(HEAD, rows) if rows else [])


def coverage(document: Document) -> str:
    seen = document["coverage"]
    wanted = seen["nodes"] - seen["without_accelerators"]
    parts = [f"{seen['looked_at']} of {wanted} nodes with accelerators were checked completely"]
    parts += [f"{seen['in_part']} in part"] if seen["in_part"] else []
    parts += [f"{seen['not_looked_at']} not at all"] if seen["not_looked_at"] else []
    not_read = [key for key, cluster in document["clusters"].items() if cluster["failure"]]
    clusters = f" Clusters that could not be read: {', '.join(not_read)}." if not_read else ""
    failures = "; ".join(each.rstrip(".") for each in document["inventory_failures"])
    inventory = f" The inventory could not be read completely: {failures}." if failures else ""
    return f"{', '.join(parts)}.{clusters}{inventory}"


def verdicts(document: Document) -> str:
    counts = document["verdicts"]
    parts = [f"{counts[verdict]} {verdict}" for verdict in reversed(VERDICTS) if counts[verdict]]
    return f"{', '.join(parts)}." if parts else "No node has a verdict."


def why(node: t.Mapping[str, t.Any]) -> list[str]:
    """The reasons for the verdict, one per line."""
    reasons = [each["text"] for each in node["problems"] if each["verdict"] != FIT]
    unseen = [f"not checked: {each['what']}: {each['why']}" for each in node["not_looked_at"]]
    return reasons + (unseen if node["verdict"] == UNKNOWN else []) + ([node["not_read"]] if node["not_read"] else [])


def to_junit(document: Document) -> str:
    """The document as JUnit XML, with one suite for each cluster and one case for each node.

    An unfit node is a failure, and an unknown node is an error.
    """
    root = ElementTree.Element("testsuites", name="mlfleet.hyperpod accelerators")
    for key, cluster in document["clusters"].items():
        suite = junit.add_suite(root, key, timestamp=document["created"].rstrip("Z"))
        if cluster["failure"]:
            junit.add_case(suite, key, key, "error", kind="cluster-not-read", message=cluster["failure"])
        for iid, node in cluster["nodes"].items():
            if node["verdict"]:
                _add_node(suite, key, iid, node)
    if document["inventory_failures"]:
        suite = junit.add_suite(root, INVENTORY)
        for number, sentence in enumerate(document["inventory_failures"], start=1):
            junit.add_case(suite, INVENTORY, f"part {number}", "error", kind="unknown", message=sentence)
    return junit.counted(root)


def nodes(document: Document) -> t.Iterator[tuple[str, str, t.Mapping[str, t.Any]]]:
    """The nodes of all clusters. Each tuple has the cluster's key, the instance ID and the node."""
    return ((key, iid, node) for key, cluster in document["clusters"].items() for iid, node in cluster["nodes"].items())


def _add_node(suite: ElementTree.Element, key: str, iid: str, node: t.Mapping[str, t.Any]) -> None:
    verdict, reasons = node["verdict"], why(node)
    problem = {FIT: "", WATCH: "", UNKNOWN: "error"}.get(verdict, "failure")
    junit.add_case(suite, key, iid, problem, kind=verdict, message=reasons[0] if reasons else verdict, text="\n".join(reasons))
