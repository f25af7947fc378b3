# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Login nodes that leave the load balancer, and whether users can log in."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_targets import nodes

from .conftest import texts

NODE, OTHER = "i-0000000000000000a", "i-0000000000000000b"
NEEDED = f"Nothing was changed. These login nodes must stay in service because login_balancer_minimum_healthy is 1: {OTHER}."
WITHOUT = {"target_group_arn": "arn:tg", "ports": [222], "draining_ports": [], "health_check_port": "223"}
SERVICE = {"login_nodes": 2, "in_service": ["i-1"], "finding": {"kind": "failure", "text": "Logins are impossible."}}


@pytest.fixture
def leaving(variables: dict[str, t.Any]) -> dict[str, t.Any]:
    cluster = {"hyperpod_run": {"target_group": "arn:tg", "target_port": 222, "records": {"drained": {OTHER: {}}}}}
    groups = {**variables["groups"], "cluster_ml": ["ml", "node"]}
    return {
        **variables,
        "groups": groups,
        "group_names": ["cluster_ml"],
        "hostvars": {"ml": cluster},
        "hyperpod_instance_id": NODE,
        "hyperpod_run": {"target_group": "arn:the-node-s-own"},
    }


@pytest.mark.parametrize(
    ("health", "expected"),
    [("draining", True), ("healthy", True), ("initial", True), ("unhealthy", True), ("unused", False), (None, False)],
)
def test_a_draining_target_may_still_get_connections(leaving: dict[str, t.Any], health: str | None, expected: bool) -> None:
    targets = [
        {"instance_id": NODE, "ip": "10.1.1.11", "health": health, "decision": "out", "reason": ""},
        {"instance_id": OTHER, "ip": "10.1.1.12", "health": "healthy", "decision": "hold", "reason": "needed"},
    ]
    found = nodes.node({**leaving, "__login_targets_left": {"targets": targets}})
    assert (found.sent_to, texts(found.refusals)) == (expected, [])


def test_without_a_target_group_no_connections_arrive(leaving: dict[str, t.Any]) -> None:
    found = nodes.node({**leaving, "__login_targets_left": {"skipped": True}})
    assert found.sent_to is False
    assert (found.cluster_host, found.target_group, found.target_port, found.drained) == ("ml", "arn:tg", 222, [OTHER, NODE])


def test_a_required_node_is_kept(leaving: dict[str, t.Any]) -> None:
    target = {"instance_id": NODE, "ip": "10.1.1.11", "health": "healthy", "decision": "hold", "reason": "the last one"}
    assert texts(nodes.node({**leaving, "__login_targets_left": {"targets": [target]}}).refusals) == [f"{NODE} stays in service: the last one."]
    assert texts(nodes.node({**leaving, "__login_targets_left": {"targets": [{**target, "ip": None}]}}).refusals) == []


@pytest.mark.parametrize(
    ("requested", "refusal"),
    [
        ([], ""),
        ([NODE], ""),
        (["i-9"], "Nothing was changed because ml has no login node i-9."),
        (
            [NODE, "i-9", OTHER],
            "Nothing was changed because ml has no login node i-9.",
        ),
        ([NODE, OTHER], NEEDED),
    ],
)
def test_enough_login_nodes_must_stay(variables: dict[str, t.Any], requested: list[str], refusal: str) -> None:
    targets = [{"instance_id": NODE, "ip": "10.1.1.11", "decision": "out"}, {"instance_id": OTHER, "ip": "10.1.1.12", "decision": "hold"}]
    given = {"login_targets_drain_nodes": requested, "__login_targets_without": {**WITHOUT, "targets": targets}}
    found = nodes.draining({**variables, **given})
    assert (texts(found.refusals), found.target_group, found.ports) == ([refusal] if refusal else [], "arn:tg", {"targets": [222], "health": 223})


@pytest.mark.parametrize(
    ("requested", "leaves", "refusal", "needed"),
    [
        ([NODE, OTHER], "true", "", [OTHER]),
        ([NODE, OTHER], False, NEEDED, [OTHER]),
        ([OTHER], True, NEEDED, [OTHER]),
        ([NODE], True, "", []),
        ([NODE, OTHER, "i-9"], True, "Nothing was changed because ml has no login node i-9.", [OTHER]),
    ],
)
def test_required_nodes_are_left_for_the_next_run(
    variables: dict[str, t.Any], requested: list[str], leaves: object, refusal: str, needed: list[str]
) -> None:
    targets = [{"instance_id": NODE, "ip": "10.1.1.11", "decision": "out"}, {"instance_id": OTHER, "ip": "10.1.1.12", "decision": "hold"}]
    given = {"login_targets_drain_nodes": requested, "login_targets_leaves_needed": leaves}
    found = nodes.draining({**variables, **given, "__login_targets_without": {**WITHOUT, "targets": targets}})
    assert (texts(found.refusals), found.needed) == ([refusal] if refusal else [], needed)


def test_without_a_target_group_there_are_no_ports(variables: dict[str, t.Any]) -> None:
    found = nodes.draining({**variables, "__login_targets_without": {"target_group_arn": None, "targets": []}})
    assert (texts(found.refusals), found.target_group, found.ports) == ([], "", {})


def test_drained_nodes_are_read_from_records(variables: dict[str, t.Any]) -> None:
    run = {"records": {"drained": {"i-1": {}}}}
    found = nodes.nodes({**variables, "hyperpod_run": run, "login_targets_drain_nodes": ["i-2", "i-1"]})
    assert (found.types, found.drained, found.then, found.failed) == ({}, ["i-1"], ["i-1", "i-2"], [])


@pytest.mark.parametrize(
    ("given", "judged"),
    [({}, True), ({"ansible_check_mode": True}, False), ({"hyperpod_internal_without_nodes": "true"}, False)],
)
def test_a_predicted_service_is_not_judged(variables: dict[str, t.Any], given: dict[str, t.Any], judged: bool) -> None:
    run = {"hyperpod_run": {"login_name": "hp-ml.example"}, "__login_targets_registered": {"login_service": SERVICE}}
    found = nodes.service({**variables, **run, **given})
    assert (found.login_name, found.login_nodes, found.in_service) == ("hp-ml.example", 2, 1)
    assert found.state == (SERVICE if judged else {**SERVICE, "finding": None})


def test_a_name_known_only_later_is_not_reported(variables: dict[str, t.Any]) -> None:
    run = {"hyperpod_run": {"login_name": "(known after apply)"}, "__login_targets_registered": {"login_service": SERVICE}}
    assert nodes.service({**variables, **run}).login_name is None


@pytest.mark.parametrize(("given", "due"), [({}, True), ({"hyperpod_only_plans": True}, False)])
def test_plans_record_no_service(variables: dict[str, t.Any], given: dict[str, bool], due: bool) -> None:
    run = {"hyperpod_run": {"login_name": "hp-ml.example"}, "__login_targets_registered": {"login_service": SERVICE}}
    assert nodes.service({**variables, **run, **given}).due is due
