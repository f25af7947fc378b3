# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is counted on the screen and for AWX; tests/unit/edges has the same from real runs."""

from __future__ import annotations

import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import report_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told import Sentence
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verdict import ClusterVerdict

NODES = [f"i-{number:017x}" for number in range(1, 600)]


def by_controller(*texts):
    return [Sentence("ml", text, trusted=True) for text in texts]


def folded(sentences):
    return report_text.folded(sentences, file="report.json")


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("node {} (workers): would gain access (new)", "would gain access (new)"),
        ("{} is unreachable: timed out", "is unreachable: timed out"),
        ("10.1.1.7 ({}) is held: not verified yet.", "is held: not verified yet"),
        ("{}: Accounts: no user {} at 10.1.1.9, key SHA256:abc/d+e", "Accounts: no user … at …, key …"),
    ],
)
def test_what_many_nodes_have_in_common_is_one_line(form, line):
    told = folded(by_controller("before", *(form.replace("{}", node) for node in NODES), "after"))
    assert told == ["before", f"599 nodes: {line}; the list is in report.json", "after"]


def test_few_are_named_and_others_stay_apart():
    texts = [f"{node} is late" for node in NODES[:3]] + [f"{node} is slow" for node in NODES[:4]]
    assert folded(by_controller(*texts)) == [*texts[:3], "4 nodes: is slow; the list is in report.json"]


def test_a_node_counts_once_and_for_itself():
    alone = [Sentence(NODES[0], f"{other} is down {other}", trusted=False) for other in NODES[:9]]
    assert folded(alone) == [each.shown for each in alone]
    liars = [Sentence(node, f"node {NODES[0]}: all is well", trusted=False) for node in NODES[:5]]
    assert folded([*by_controller(f"node {NODES[6]}: all is well"), *liars]) == [
        f"node {NODES[6]}: all is well",
        "5 nodes: node …: all is well; the list is in report.json",
    ]


def changed(*resources):
    return [{"action": "create", "resource": resource, "field": None, "before": None, "after": None} for resource in resources]


def test_changes_are_counted_by_kind_and_strange_ones_are_not_shown():
    found = changed(
        "user alice", "user bob", "ed25519 host key", "next rsa host key", "file /etc/x", "target 10.1.1.1:22 of target group hp",
        "target group hp", "ingress rule tcp 22 from x of security group y", "sudo rules of bob", "access to i-1 (login)", "evil \x1b",
    )  # fmt: skip
    assert report_text.kinds(found) == {
        "user": 2, "host key": 2, "file": 1, "target": 1, "target group": 1, "rule": 1, "sudo rule": 1, "access": 1, "other": 1,
    }  # fmt: skip
    assert report_text.changes_line(changed("user a")) == "1 change: user 1" and report_text.changes_line([]) == ""


@pytest.mark.parametrize("clusters", [1, 60, 3000])
def test_awx_is_never_given_more_than_it_keeps(clusters):
    verdicts = {f"c{number}": ClusterVerdict() for number in range(clusters)}
    for verdict in verdicts.values():
        verdict.changes += changed(*(f"user {node}" for node in NODES[:20]))
        for number in range(30):
            verdict.add("failures", Sentence("c", f"{number} {'x' * 900}", trusted=True))
    report = {"status": "failed", "clusters": {key: verdict.to_report() for key, verdict in verdicts.items()}}
    given = report_text.artifact(report, verdicts, file="report.json")
    assert {each["status"] for each in given["clusters"].values()} == {"failed"} and len(given["clusters"]) == clusters
    assert len(json.dumps(given)) <= report_text.ARTIFACT_SIZE or set(given["clusters"]["c0"]) == {"status"}
    if clusters == 1:
        assert given["clusters"]["c0"]["changes"] == {"user": 20} and given["clusters"]["c0"]["failures"][-1] == "and 10 more"
