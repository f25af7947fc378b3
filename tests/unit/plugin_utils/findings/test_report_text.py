# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The counts on the screen and for AWX; tests/unit/edges covers the same with real runs."""

from __future__ import annotations

import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import failure, note
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings import report_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import ClusterVerdict

NODES = [f"i-{number:017x}" for number in range(1, 600)]


ML = Source("ml", "ml", "ml", trusted=True)


def by_controller(text, *, node="", code="node-not-reached", **more):
    return ML.reported(note(code, text, node=node, **more))


def by_node(who, text, code="home-waits", **more):
    return Source("ml", who, f"ml-{who}", trusted=False).reported(note(code, text, **more))


def folded(lines):
    return [line.text for line in report_text.folded(lines, file="report.json")]


def test_equal_messages_of_many_nodes_are_one_line():
    alike = [by_controller(f"node {node} (workers): is new.", node=node, brief="is new.") for node in NODES]
    shown = folded([by_controller("before"), *alike, by_controller("after")])
    assert shown == ["before", "599 nodes: is new; the list is in report.json", "after"]


def test_messages_are_grouped_by_code_and_the_most_frequent_text_is_shown():
    words = [by_node(NODES[0], "all is well"), *(by_node(node, "It waits.") for node in NODES[1:5])]
    assert folded(words) == ["5 nodes, most often: It waits; the list is in report.json"]


def test_few_messages_are_not_grouped():
    late, slow = [by_node(node, "late") for node in NODES[:3]], [by_node(node, "slow", code="key-shared") for node in NODES[:4]]
    assert folded([*late, *slow]) == [*(f"{node}: late" for node in NODES[:3]), "4 nodes: slow; the list is in report.json"]
    people = [by_node(node, "It waits.", subject=str(number)) for number, node in enumerate(NODES[:9])]
    assert folded(people) == [each.shown for each in people], "each is about another user"


def test_failures_of_one_task_are_one_line():
    failures = [
        Source("ml", node, node, trusted=True).reported(failure("task-failed", "no"), opening=f"{node}: T: ", task="T")
        for node in NODES[:4]
    ]
    assert folded(failures) == ["4 nodes: T: no; the list is in report.json"]
    assert [(line.kind, line.code, line.nodes) for line in report_text.folded(failures, file="x")] == [("failure", "task-failed", 4)]


def test_a_node_counts_once_and_only_for_itself():
    alone = [by_node(NODES[0], f"{other} is down") for other in NODES[:9]]
    assert folded(alone) == [each.shown for each in alone]
    liars = [by_node(node, "all is well", code="node-not-reached", node=NODES[6]) for node in NODES[:5]]
    assert folded([by_controller("all is well", node=NODES[6]), *liars]) == [
        "all is well",
        "5 nodes: all is well; the list is in report.json",
    ]


def changed(*resources):
    return [{"action": "create", "resource": resource, "field": None, "before": None, "after": None} for resource in resources]


def test_changes_are_counted_by_kind_and_unknown_kinds_are_hidden():
    found = changed(
        "user alice", "user bob", "ed25519 host key", "next rsa host key", "file /etc/x", "target 10.1.1.1:22 of target group hp",
        "target group hp", "ingress rule tcp 22 from x of security group y", "sudo rules of bob", "access to i-1 (login)", "evil \x1b",
    )  # fmt: skip
    assert report_text.kinds(found) == {
        "user": 2, "host key": 2, "file": 1, "target": 1, "target group": 1, "rule": 1, "sudo rule": 1, "access": 1, "other": 1,
    }  # fmt: skip
    assert report_text.changes_line(changed("user a")) == "1 change: user 1" and report_text.changes_line([]) == ""


@pytest.mark.parametrize("clusters", [1, 60, 3000])
def test_text_for_awx_is_limited_to_what_it_stores(clusters):
    verdicts = {f"c{number}": ClusterVerdict() for number in range(clusters)}
    for verdict in verdicts.values():
        verdict.changes += changed(*(f"user {node}" for node in NODES[:20]))
        for number in range(30):
            verdict.add([ML.reported(failure("task-failed", f"{number} {'x' * 900}", subject=str(number)))])
    report = {"status": "failed", "clusters": {key: verdict.to_report() for key, verdict in verdicts.items()}}
    given = report_text.artifact(report, verdicts, file="report.json")
    assert {each["status"] for each in given["clusters"].values()} == {"failed"} and len(given["clusters"]) == clusters
    assert len(json.dumps(given)) <= report_text.ARTIFACT_SIZE or set(given["clusters"]["c0"]) == {"status"}
    if clusters == 1:
        assert given["clusters"]["c0"]["changes"] == {"user": 20} and len(given["clusters"]["c0"]["findings"]) == 20
        assert given["clusters"]["c0"]["codes"] == {"task-failed": 30}
