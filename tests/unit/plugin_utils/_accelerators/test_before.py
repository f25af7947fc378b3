# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept of clusters and nodes that a run does not read, and what it must not change."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import forms
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.before import CLUSTERS, NODES, last
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import Cluster, Document, document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.metrics import to_prometheus
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page import page

from .fleets import cluster, node, problem

REQUESTED, UPDATES = "HyperPod acts on Slurm's reason Action:Replace", "HyperPod reports status SystemUpdating"
ACTS = node(1, service=REQUESTED, slurm="fail", slurm_reason="Action:Replace")
KUBERNETES = {"health_status": "Schedulable", "deep_health_check": "", "unschedulable": False, "taints": [], "conditions": []}
FAILED = cluster(failure="It failed.")
IID = ACTS.instance_id


def at(minute: int, *clusters: Cluster, before: Document | None = None) -> Document:
    """The document after a round trip through its file."""
    made = document(clusters, created=f"2026-11-25T03:{minute:02}:00Z", before=before)
    return t.cast("Document", json.loads(json.dumps(made)))


def since(found: Document, key: str = "ml") -> str:
    return str(found["clusters"][key]["nodes"][IID]["service"]["since"])


def other(*nodes: t.Any) -> Cluster:
    return cluster(*nodes, key="other")


def test_alternating_runs_keep_the_time_of_each_cluster() -> None:
    first = at(0, cluster(ACTS))
    second = at(1, other(ACTS), before=first)
    third = at(2, cluster(ACTS), before=second)
    fourth = at(3, other(ACTS), before=third)
    assert (since(third), since(fourth, "other")) == ("2026-11-25T03:00:00Z", "2026-11-25T03:01:00Z")


def test_an_unread_cluster_keeps_its_time() -> None:
    failed = at(2, FAILED, before=at(1, FAILED, before=at(0, cluster(ACTS))))
    assert since(at(3, cluster(ACTS), before=failed)) == "2026-11-25T03:00:00Z"


@pytest.mark.parametrize(
    ("meanwhile", "continues"),
    [
        (node(1), True),
        (node(1, slurm="idle"), False),
        (node(1, kubernetes=KUBERNETES), False),
        (node(1, service=UPDATES), False),
        (node(2), False),
    ],
)
def test_a_slurm_state_continues_if_it_was_not_read_meanwhile(meanwhile: t.Any, continues: bool) -> None:
    between = at(1, cluster(meanwhile), before=at(0, cluster(ACTS)))
    if meanwhile.instance_id == IID:
        assert between["clusters"]["ml"]["nodes"][IID]["service"]["does"] == meanwhile.service, "the kept state is not reported as seen"
    assert since(at(2, cluster(ACTS), before=between)) == f"2026-11-25T03:0{0 if continues else 2}:00Z"


def test_a_status_that_hyperpod_ended_does_not_continue() -> None:
    updates = cluster(node(1, service=UPDATES))
    between = at(1, cluster(node(1)), before=at(0, updates))
    assert since(at(2, updates, before=between)) == "2026-11-25T03:02:00Z"


def test_states_are_kept_for_a_week() -> None:
    first = at(0, cluster(ACTS))
    for created, remembered in (("2026-12-02T03:00:00Z", True), ("2026-12-02T03:00:01Z", False)):
        kept = document([other()], created=created, before=first)["before"]
        assert bool(kept["clusters"]) is bool(kept["service"]) is remembered
    assert document([cluster(node(1))], created="2026-12-02T03:00:01Z", before=first)["before"]["service"] == {}


def test_changes_are_relative_to_the_last_reading_of_the_cluster() -> None:
    first = at(0, cluster(node(1), node(9)))
    second = at(1, other(node(5)), FAILED, before=first)
    third = at(2, cluster(node(1, problem()), node(2)), other(node(5, problem())), before=second)
    assert third["changes"]["since"] == "2026-11-25T03:01:00Z"
    changes = {(each["cluster"], int(each["node"][2:])): (each["was"], each["is"], each["since"][14:16]) for each in third["changes"]["nodes"]}
    assert changes == {
        ("ml", 1): ("fit", "unfit-reboot", "00"),
        ("ml", 2): ("not there", "fit", "00"),
        ("ml", 9): ("fit", "not there", "00"),
        ("other", 5): ("fit", "unfit-reboot", "01"),
    }


def test_kept_states_are_not_reported_as_checked() -> None:
    first = at(0, cluster(ACTS, node(2, problem())))
    alone, after = at(1, other(node(5))), at(1, other(node(5)), before=first)
    assert after["before"]["clusters"] and after["before"]["service"]
    assert {name for name in alone if alone[name] != after[name]} == {"before", "changes"}
    for form in (forms.to_junit, to_prometheus, forms.lines):
        assert form(after) == form(alone)
    assert page(after) == page({**after, "before": alone["before"]})


def test_a_cluster_that_was_read_needs_no_kept_state() -> None:
    second = at(1, cluster(ACTS), before=at(0, cluster(ACTS)))
    assert second["before"] == {"clusters": {}, "service": {}}


def test_documents_without_valid_kept_states_are_accepted() -> None:
    whole = at(0, cluster(ACTS))
    old = {name: each for name, each in whole.items() if name != "before"}
    assert since(at(1, cluster(ACTS), before=old)) == "2026-11-25T03:00:00Z"
    entry = {"does": REQUESTED, "since": "2026-11-25T03:00:00Z", "seen": "2026-11-25T03:00:00Z"}
    spoilt: list[t.Any] = [
        [],
        {"clusters": 1, "service": []},
        {"clusters": {"other": 1}, "service": {"other": {IID: []}}},
        *({"clusters": {"other": {}}, "service": {"other": {IID: {**entry, **wrong}}}} for wrong in ({"since": "x"}, {"seen": None}, {"does": ""})),
    ]
    for before in spoilt:
        assert since(at(1, other(ACTS), before={**old, "before": before}), "other") == "2026-11-25T03:01:00Z"


def test_kept_states_are_printable_and_bounded() -> None:
    entry = {"does": "a\x1b[31m\nb", "since": "2026-11-25T03:00:00Z", "seen": "2026-11-25T03:00:00Z"}
    many = {f"i-{number}": entry for number in range(NODES + 5)}
    clusters = {f"c{number}": {"read": "2026-11-25T03:00:00Z", "verdicts": {"i\n1": "splendid"}} for number in range(CLUSTERS + 5)}
    found = last({"clusters": {}, "created": "x", "before": {"clusters": clusters, "service": {"c0": many}}})
    assert (len(found), len(found["c0"].services)) == (CLUSTERS, NODES)
    assert found["c0"].verdicts == {"i 1": ""} and found["c0"].services["i-0"]["does"] == "a?[31m b"
