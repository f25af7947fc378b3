# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subnets and security groups of the load balancer."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_balancer import network

from .conftest import CLUSTER, READ, WITHOUT_GROUPS, texts


def subnet(letter: str, zone: str = "", vpc: str = "vpc-1") -> dict[str, str]:
    return {"id": f"subnet-{letter}", "availability_zone": zone or letter, "vpc_id": vpc}


def adoption(read: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"__login_balancer_adoption": {"balancer_adoption": read}}


def test_a_cluster_without_login_nodes_is_refused(variables: dict[str, t.Any]) -> None:
    groups = [{"name": name, "node_type": "compute"} for name in ("b", "a")]
    found = network.login_nodes({**variables, "hyperpod_run": {"cluster": {**CLUSTER, "groups": groups}}})
    (refusal,) = texts(found.refusals)
    assert refusal.startswith("Cluster ml can't have a load balancer: none of its instance groups (a, b) has node type login.")


@pytest.mark.parametrize(
    ("given", "candidates"),
    [
        ({}, ["subnet-a"]),
        ({"login_balancer_subnets": ["subnet-b"]}, ["subnet-b"]),
        (adoption(READ), ["subnet-z", "subnet-a"]),
    ],
)
def test_candidate_subnets_are_declared_or_from_login_nodes(variables: dict[str, t.Any], given: dict[str, t.Any], candidates: list[str]) -> None:
    found = network.login_nodes({**variables, **given})
    assert (texts(found.refusals), found.group, found.security_groups, found.candidates) == ([], "login", ["sg-login"], candidates)


@pytest.mark.parametrize(
    ("read", "wrong"),
    [
        ([subnet("a"), subnet("b")], ""),
        ([subnet("a")], "subnet-b"),
        ([subnet("a"), subnet("b", vpc="vpc-2")], "subnet-a, subnet-b"),
    ],
)
def test_subnets_must_exist_in_one_vpc(variables: dict[str, t.Any], read: list[dict[str, str]], wrong: str) -> None:
    given = {"login_balancer_subnets": ["subnet-a", "subnet-b"], "__login_balancer_subnets_read": {"subnets": read}}
    refusal = f"login_balancer_subnets: {wrong} is not allowed. Allowed: subnets of one VPC that exist in this account and Region."
    assert texts(network.subnets({**variables, **given}).refusals) == ([refusal] if wrong else [])


@pytest.mark.parametrize(("more", "chosen"), [({}, ["a", "z"]), (adoption(READ), ["z", "a"])])
def test_a_zone_has_one_subnet_and_an_adopted_balancer_keeps_its_own(variables: dict[str, t.Any], more: dict[str, t.Any], chosen: list[str]) -> None:
    read = [subnet("z", "2"), subnet("b", "1"), subnet("a", "1"), subnet("y", "2")] if more else [subnet("z", "2"), subnet("b", "1"), subnet("a", "1")]
    found = network.subnets({**variables, **more, "__login_balancer_subnets_read": {"subnets": read}})
    assert [each["id"] for each in found.chosen] == [f"subnet-{letter}" for letter in chosen] and found.vpc_ids == ["vpc-1"]


def test_each_zone_with_login_nodes_has_a_subnet(variables: dict[str, t.Any]) -> None:
    nodes = {"nodes": [{"az": "3"}, {"az": "1"}, {"az": None}, {"az": "2"}]}
    found = network.placed({**variables, "__login_balancer_nodes": nodes, "__login_balancer_chosen_subnets": [subnet("a", "1")]})
    assert found.subnet_ids == ["subnet-a"]
    assert texts(found.refusals) == [
        "login_balancer_subnets: subnet-a is not allowed: no subnet is in 2, 3. Allowed: one subnet for each Availability "
        "Zone of the login nodes."
    ]


def test_security_groups_that_may_connect_must_exist(variables: dict[str, t.Any]) -> None:
    given = {"login_balancer_allowed_security_groups": ["sg-1", "sg-2"]}
    read = {"__login_balancer_allowed_read": {"security_groups": [{"group_id": "sg-1"}]}}
    assert texts(network.security_group({**variables, **given, **read}).refusals) == [
        "login_balancer_allowed_security_groups: sg-2 is not allowed. Allowed: security groups that exist in this account and Region."
    ]


def test_rules_are_for_the_vpc_and_the_client_vpn(variables: dict[str, t.Any]) -> None:
    read = {
        "__login_balancer_vpn_read": {"security_groups": [{"group_id": "sg-vpn"}]},
        "__login_balancer_vpc": {"cidr_block_association_set": [{"cidr_block": "10.1.0.0/16"}]},
    }
    (rule,) = network.security_group({**variables, **read}).rules
    assert (rule["ports"], rule["cidr_ip"], rule["group_id"]) == ([22], ["10.1.0.0/16"], ["sg-vpn"])


@pytest.mark.parametrize(
    ("more", "groups"),
    [
        ({}, ["(known after apply)"]),
        ({"__login_balancer_group_planned": {"group_id": "sg-1"}, "__login_balancer_group_made": {"skipped": True}}, ["sg-1"]),
        ({"__login_balancer_group_planned": {"changed": True}, "__login_balancer_group_made": {"group_id": "sg-1"}}, ["sg-1"]),
        (adoption(READ), ["(known after apply)"]),
        (adoption(WITHOUT_GROUPS), None),
    ],
)
def test_a_balancer_created_without_groups_supports_none(variables: dict[str, t.Any], more: dict[str, t.Any], groups: list[str] | None) -> None:
    assert network.security_group({**variables, **more}).of_load_balancer == groups


@pytest.mark.parametrize(("read", "name"), [({"msg": "it does not exist yet"}, ""), ({"network_load_balancer": {"dns_name": "x"}}, "x")])
def test_the_previous_login_endpoint_is_read(variables: dict[str, t.Any], read: dict[str, t.Any], name: str) -> None:
    assert network.login_name({**variables, "__login_balancer_read": read}) == name
