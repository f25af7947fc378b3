# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that nodes keep serving and security groups keep admitting, and rules that can be removed."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.balancer_ports import (
    is_moving,
    port_disagreements,
    ports_in_effect,
    ports_passed,
    shut_ports,
    unused_rules,
)


def targets(ports: list[int], health: str | None, draining: tuple[int, ...] = ()) -> dict:
    return {
        "target_group_arn": health and "arn:tg",
        "ports": ports,
        "draining_ports": list(draining),
        "health_check_port": health,
    }


FOUND = {"target_group": {"port": 22, "health_check": {"port": "traffic-port"}}}
PROBED = {"target_group": {"port": 2200, "health_check": {"port": "9100"}}}


@pytest.mark.parametrize(
    ("result", "adopted", "expected"),
    [
        (targets([], None), {}, {}),
        (targets([], "2022"), {}, {"targets": [], "health": 2022}),
        (targets([22], "2022"), {}, {"targets": [22], "health": 2022}),
        (targets([22, 222], "2022"), None, {"targets": [22, 222], "health": 2022}),
        (targets([333], "334", draining=(222,)), {}, {"targets": [222, 333], "health": 334}),
        (targets([222], "223", draining=(22,)), FOUND, {"targets": [222], "health": 223}),
        (targets([222], "traffic-port"), {}, {"targets": [222]}),
        (targets([222], "22"), {}, {"targets": [222]}),
        (targets([222, 8080], "223", draining=(512,)), {}, {"targets": [222], "health": 223}),
        (targets([22], "traffic-port"), FOUND, {"targets": []}),
        (targets([22], "2022"), FOUND, {"targets": [], "health": 2022}),
        (targets([22, 222], "traffic-port"), FOUND, {"targets": [222]}),
        (targets([2200], "9100"), PROBED, {"targets": []}),
        (targets([222], "223"), PROBED, {"targets": [222], "health": 223}),
        (targets([22], "2022"), {"target_group": {"health_check": {}}}, {"targets": [22], "health": 2022}),
    ],
)
def test_nodes_keep_serving_ports_in_use(result, adopted, expected):
    assert ports_in_effect(result, adopted) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (targets([], None), [222, 223]),
        (targets([22], "2022"), [22, 222, 223, 2022]),
        (targets([222], "223", draining=(22,)), [22, 222, 223]),
        (targets([222], "traffic-port"), [222, 223]),
    ],
)
def test_security_groups_admit_ports_in_use(result, expected):
    assert ports_passed(result, ["222", 223]) == expected


@pytest.mark.parametrize(
    ("adopted", "expected"), [(FOUND, [222, 223, 2022]), (PROBED, [22, 222, 223, 2022]), ({}, [22, 222, 223, 2022])]
)
def test_adopted_ports_are_admitted_by_existing_rules(adopted, expected):
    assert ports_passed(targets([22], "2022"), [222, 223], adopted) == expected


def rule(group: str, peer: str, *others: int) -> dict:
    return {"security_group_rule": {"group_id": group, "peer": peer, "other_ports": list(others)}}


def test_rules_for_unused_ports_can_be_removed():
    results = [rule("sg-1", "sg-lb", 22, 223), rule("sg-1", "sg-lb", 22, 222), rule("sg-2", "10.1.1.0/24", 2022, 223)]
    assert unused_rules([*results, {"skipped": True}], [222, "223"]) == [
        {"group_id": "sg-1", "peer": "sg-lb", "port": 22},
        {"group_id": "sg-2", "peer": "10.1.1.0/24", "port": 2022},
    ]
    assert unused_rules(results, [22, 222, 223, 2022]) == []


@pytest.mark.parametrize(
    ("result", "moving"),
    [
        (targets([], None), False),
        (targets([222], "223"), False),
        (targets([], "223"), False),
        (targets([222], "223", draining=(22,)), False),
        (targets([22], "223"), True),
        (targets([22, 222], "223"), True),
        (targets([222], "2022"), True),
        (targets([222], "traffic-port"), True),
    ],
)
def test_a_port_move_is_recognised(result, moving):
    assert is_moving(result, "222", 223) is moving


def inbound(protocol: str = "tcp", low: int = 222, high: int = 223, *, group: str = "", ranges: tuple[str, ...] = (), lists: int = 0) -> dict:
    """A rule in the form of ec2_security_group_info."""
    ports = {} if protocol == "-1" else {"from_port": low, "to_port": high}
    pairs = [{"group_id": group}] if group else []
    return {
        "ip_protocol": protocol,
        **ports,
        "user_id_group_pairs": pairs,
        "ip_ranges": [{"cidr_ip": each} for each in ranges],
        "prefix_list_ids": [{"prefix_list_id": "pl-1"}] * lists,
    }


@pytest.mark.parametrize(
    ("rules", "shut"),
    [
        ([], [222, 223]),
        ([inbound(group="sg-lb")], []),
        ([inbound("-1", group="sg-lb")], []),
        ([inbound("-1", group="sg-nodes")], [222, 223]),
        ([inbound("udp", group="sg-lb")], [222, 223]),
        ([inbound(low=22, high=222, group="sg-lb")], [223]),
        ([inbound(low=22, high=22, group="sg-lb"), inbound(low=223, group="sg-lb")], [222]),
        ([inbound(ranges=("10.1.0.0/16",))], []),
        ([inbound(ranges=("10.1.1.5/32",))], [222, 223]),
        ([inbound(ranges=("10.1.1.5/32",)), inbound(ranges=("10.1.2.5/32",))], []),
        ([inbound(lists=1)], []),
    ],
)
def test_ports_without_a_rule_for_the_load_balancer_are_reported(rules, shut):
    groups = [{"ip_permissions": []}, {"ip_permissions": rules}]
    assert shut_ports(groups, ["222", 223], of_balancer=["sg-lb", "sg-other"], addresses=["10.1.1.5", "10.1.2.5"]) == shut


def test_a_load_balancer_without_addresses_needs_a_rule_for_its_group():
    for rule, shut in ((inbound(group="sg-lb"), []), (inbound(ranges=("0.0.0.0/0",)), [222])):
        assert shut_ports([{"ip_permissions": [rule]}], [222], of_balancer=["sg-lb"], addresses=[]) == shut


@pytest.mark.parametrize(
    ("cluster", "node", "words"),
    [
        ({}, {}, []),
        ({"hyperpod_people_port": 333}, {"hyperpod_people_port": "333"}, []),
        ({"hyperpod_people_port": 333}, {}, ["hyperpod_people_port: the load balancer uses port 333, but login nodes"]),
        ({}, {"hyperpod_gate_port": 334}, ["hyperpod_gate_port: the load balancer uses port 223, but login nodes"]),
        (
            {"login_balancer_people_port": 333},
            {"login_balancer_people_port": 333},
            ["port 333, but login nodes would open a different port: 222 for the cluster's own inventory host, 222 for ml-i-1."],
        ),
        ({"login_nodes_gate_port": 334}, {"login_nodes_gate_port": 334}, ["334 for the cluster's own inventory host, 334 for ml-i-1."]),
        ({"login_balancer_people_port": 333, "hyperpod_gate_port": 1}, {}, ["people", "gate"]),
    ],
)
def test_ports_that_nodes_do_not_open_are_reported(cluster, node, words):
    found = port_disagreements(cluster, {"ml-i-1": node})
    assert [wanted in sentence for wanted, sentence in zip(words, found)] == [True] * len(words) and len(found) == len(words), found
