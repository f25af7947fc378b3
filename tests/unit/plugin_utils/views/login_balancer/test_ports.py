# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports and rules during a port move."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_balancer import ports

from .conftest import ADOPTED, PORTS, WITHOUT_GROUPS, texts

MOVING = {**PORTS, "ports": [22]}
NOTHING = {"target_group_arn": "", "ports": [], "draining_ports": [], "health_check_port": None}
RESULTS = {"results": [{"security_group_rule": {"group_id": "sg-login", "peer": "sg-1", "other_ports": [222, 300]}}, {"skipped": True}]}


@pytest.mark.parametrize(
    ("given", "passed", "moving", "default"),
    [
        ({}, [222, 223], False, None),
        ({"__login_targets_read": MOVING}, [22, 222, 223], True, None),
        ({"__login_targets_read": MOVING, "login_balancer_adopted": ADOPTED, "login_balancer_purge": False}, [222, 223], True, None),
        ({"__login_targets_read": MOVING, "login_balancer_adopted": ADOPTED}, [22, 222, 223], True, None),
        ({"__login_targets_read": NOTHING}, [222, 223], False, 222),
    ],
)
def test_ports_in_use_stay_open(variables: dict[str, t.Any], given: dict[str, t.Any], passed: list[int], moving: bool, default: int | None) -> None:
    found = ports.ports({**variables, **given})
    assert (found.passed, found.moving, found.default) == (passed, moving, default)


@pytest.mark.parametrize(("purge", "opened"), [(False, [222, 223]), (True, [22, 222, 223])])
def test_rules_refer_to_our_security_group(variables: dict[str, t.Any], purge: bool, opened: list[int]) -> None:
    given = {"__login_targets_read": MOVING, "login_balancer_adopted": ADOPTED, "login_balancer_purge": purge}
    found = ports.rules({**variables, **given}).wanted
    assert [(each["group_id"], each["port"], each["cidr"]) for each in found] == [("sg-login", port, None) for port in opened]
    assert {each["source_group_name"][:19] for each in found} == {"mlfleet-hyperpod-ml"}


def test_rules_for_a_balancer_without_groups_use_ranges(variables: dict[str, t.Any]) -> None:
    subnets = [{"cidr_block": "10.1.1.0/24"}, {"cidr_block": "10.1.2.0/24"}]
    given = {"__login_balancer_adoption": {"balancer_adoption": WITHOUT_GROUPS}, "__login_balancer_chosen_subnets": subnets}
    found = ports.rules({**variables, **given})
    assert [(each["port"], each["cidr"], each["source_group_name"]) for each in found.wanted] == [
        (port, cidr, None) for port in (222, 223) for cidr in ("10.1.1.0/24", "10.1.2.0/24")
    ]
    assert texts(found.needed) == ["Allow TCP ports 222, 223 from 10.1.1.0/24, 10.1.2.0/24 in sg-login."]


@pytest.mark.parametrize(("made", "source"), [({}, "the new group mlfleet-hyperpod-ml-"), ({"group_id": "sg-1"}, "sg-1 in")])
def test_rules_for_foreign_groups_are_reported(variables: dict[str, t.Any], made: dict[str, str], source: str) -> None:
    assert texts(ports.rules({**variables, "__login_balancer_group_made": made}).needed)[0].startswith(f"Allow TCP ports 222, 223 from {source}")


def test_rules_for_unused_ports_are_removed(variables: dict[str, t.Any]) -> None:
    (rule,) = ports.rules({**variables, "__login_balancer_rules": RESULTS}).unused
    assert (rule["port"], rule["source_group_id"], rule["cidr"]) == (300, "sg-1", None)
    assert ports.rules({**variables, "__login_balancer_rules": {"skipped": True}}).unused == []


def test_all_rules_for_a_peer_are_removed(variables: dict[str, t.Any]) -> None:
    found = ports.removal({**variables, "peers": ["sg-1", "10.1.1.0/24"], "__login_balancer_rules_gone": RESULTS})
    assert [(each["port"], each["source_group_id"], each["cidr"]) for each in found.current] == [(222, "sg-1", None), (222, None, "10.1.1.0/24")]
    assert [each["port"] for each in found.previous] == [222, 300]


@pytest.mark.parametrize(
    ("source", "shut", "admits"),
    [([], "222, 223", "10.1.1.9"), (["sg-nlb"], "222, 223", "sg-nlb")],
)
def test_foreign_rules_must_admit_the_balancer(variables: dict[str, t.Any], source: list[str], shut: str, admits: str) -> None:
    read = {
        "__login_balancer_made": {"network_load_balancer": {"security_groups": source}},
        "__login_balancer_interfaces": {"network_interfaces": [{"private_ip_address": "10.1.1.9"}]},
        "__login_balancer_node_groups_read": {"security_groups": [{"ip_permissions": []}]},
    }
    (refusal,) = texts(ports.rules_of_others({**variables, **read}))
    allowed = f"true, or rules of sg-login that admit {admits} at these ports. Until then, the port for logins does not change (222)."
    assert f"at TCP {shut}. Allowed: {allowed}" in refusal
    open_to_all = {"ip_protocol": "-1", "ip_ranges": [{"cidr_ip": "10.0.0.0/8"}]}
    read["__login_balancer_node_groups_read"] = {"security_groups": [{"ip_permissions": [open_to_all]}]}
    assert texts(ports.rules_of_others({**variables, **read})) == []


@pytest.mark.parametrize(
    ("given", "initial"),
    [
        ({}, {"interval", "healthy_threshold", "unhealthy_threshold"}),
        ({"__login_targets_read": NOTHING}, {"interval", "healthy_threshold", "unhealthy_threshold", "port"}),
        ({"login_balancer_adopted": ADOPTED}, None),
    ],
)
def test_an_existing_health_check_changes_later(variables: dict[str, t.Any], given: dict[str, t.Any], initial: set[str] | None) -> None:
    found = ports.health_check({**variables, **given})
    assert (found if found is None else set(found)) == initial
