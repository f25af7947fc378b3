# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subnets, security groups and names."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.client_vpn import network

from .conftest import CLUSTER, LOGIN, texts


def subnet(letter: str, zone: str = "", vpc: str = "vpc-1") -> dict[str, str]:
    return {"id": f"subnet-{letter}", "availability_zone": zone or letter, "vpc_id": vpc}


@pytest.mark.parametrize(
    ("cluster", "refusals"),
    [
        (CLUSTER, []),
        ({**CLUSTER, "subnets": []}, ["Cluster ml can't have a Client VPN: it was created without VpcConfig, so its nodes have no addresses in your VPC."]),
        (
            {**CLUSTER, "groups": [{**LOGIN, "node_type": "compute"}]},
            [
                "Cluster ml can't have a Client VPN: none of its instance groups has node type login. If the "
                "cluster is older than SlurmConfig, set node_types in the inventory source."
            ],
        ),
    ],
)
def test_a_cluster_needs_a_vpc_and_login_nodes(variables: dict[str, t.Any], cluster: dict[str, t.Any], refusals: list[str]) -> None:
    assert texts(network.login_nodes({**variables, "hyperpod_run": {"cluster": cluster}}).refusals) == refusals


@pytest.mark.parametrize(
    ("given", "login", "candidates", "subnets", "groups"),
    [
        ([], LOGIN, ["subnet-a"], ["subnet-a"], ["sg-login"]),
        ([], {**LOGIN, "subnets": None, "security_groups": []}, ["subnet-c"], ["subnet-c"], ["sg-cluster"]),
        (["subnet-b"], LOGIN, ["subnet-b"], ["subnet-b", "subnet-a"], ["sg-login"]),
    ],
)
def test_login_nodes_use_their_own_network_or_that_of_the_cluster(
    variables: dict[str, t.Any], given: list[str], login: dict[str, t.Any], candidates: list[str], subnets: list[str], groups: list[str]
) -> None:
    run = {"cluster": {**CLUSTER, "groups": [{**LOGIN, "node_type": "compute"}, login]}}
    found = network.login_nodes({**variables, "client_vpn_subnets": given, "hyperpod_run": run, "client_vpn_node_ports": [222, 223]})
    assert (found.candidates, found.subnets) == (candidates, subnets)
    assert found.rules == [[group, port] for group in groups for port in (222, 223)]


@pytest.mark.parametrize(
    ("read", "outside", "refusals"),
    [
        ([subnet("a")], [], []),
        ([subnet("a"), subnet("b", vpc="vpc-2")], ["client_vpn_subnets: subnet-a, subnet-b is not allowed. Allowed: subnets of the login nodes' VPC."], None),
        ([subnet("a")], [], ["client_vpn_subnets: subnet-b is not allowed. Allowed: subnets that exist in this account and Region."]),
    ],
)
def test_subnets_must_exist_in_one_vpc(
    variables: dict[str, t.Any], read: list[dict[str, str]], outside: list[str], refusals: list[str] | None
) -> None:
    given = ["subnet-a"] if refusals == [] else ["subnet-a", "subnet-b"]
    found = network.subnets({**variables, "client_vpn_subnets": given, "__client_vpn_login_subnets_read": {"subnets": read}})
    assert texts(found.outside) == outside and found.vpc_id == "vpc-1"
    assert refusals is None or texts(found.refusals) == refusals


def test_a_missing_subnet_is_refused(variables: dict[str, t.Any]) -> None:
    found = network.subnets({**variables, "__client_vpn_login_subnets_read": {"subnets": []}})
    assert texts(found.outside) == ["client_vpn_subnets: none is not allowed. Allowed: subnets of the login nodes' VPC."]


def test_our_tags_take_precedence(variables: dict[str, t.Any]) -> None:
    found = network.names({**variables, "client_vpn_tags": {"Team": "ml", "mlfleet.hyperpod/component": "x"}})
    identity = {"mlfleet.hyperpod/component": "client_vpn", "mlfleet.hyperpod/client-vpn": "vpc-1"}
    assert found.identity == identity and found.tags == {"Team": "ml", **identity}
    assert found.security_group_tags == {"Team": "ml", **identity, "Name": "mlfleet-client-vpn-vpc-1"}
    assert found.log_group == "/mlfleet/hyperpod/client-vpn/vpc-1"


@pytest.mark.parametrize(
    ("cidr", "refusals"),
    [
        ("172.20.0.0/20", []),
        (
            "10.1.0.0/20",
            ["client_vpn_client_cidr: 10.1.0.0/20 is not allowed. Allowed: ranges that do not overlap 10.1.0.0/16 of vpc-1."],
        ),
    ],
)
def test_overlapping_ranges_are_refused(variables: dict[str, t.Any], cidr: str, refusals: list[str]) -> None:
    blocks = [{"cidr_block": "10.1.0.0/16"}, {"cidr_block": "10.2.0.0/16"}]
    given = {"client_vpn_client_cidr": cidr, "client_vpn_authorization_rules": [{"cidr": "10.9.0.0/16", "group": "x"}]}
    found = network.addresses({**variables, **given, "__client_vpn_vpcs": {"vpcs": [{"cidr_block_association_set": blocks}]}})
    assert texts(found.refusals) == refusals and found.dns_servers == ["10.1.0.2"]
    assert [rule["cidr"] for rule in found.authorization_rules] == ["10.1.0.0/16", "10.2.0.0/16", "10.9.0.0/16"]


@pytest.mark.parametrize(
    ("candidates", "associated", "others", "chosen", "unread"),
    [
        (["subnet-a", "subnet-b", "subnet-c"], [], [], ["subnet-a", "subnet-b"], []),
        (["subnet-b", "subnet-c"], [], [], ["subnet-c", "subnet-b"], []),
        (["subnet-a", "subnet-b", "subnet-c"], ["subnet-c"], [], ["subnet-c", "subnet-b"], []),
        (["subnet-a", "subnet-b"], ["subnet-z"], [subnet("z", "1")], ["subnet-b"], ["subnet-z"]),
    ],
)
def test_a_zone_with_an_association_keeps_it(
    variables: dict[str, t.Any], candidates: list[str], associated: list[str], others: list[dict[str, str]], chosen: list[str], unread: list[str]
) -> None:
    read = {"subnets": [subnet("c", "1"), subnet("a", "1"), subnet("b", "2")]}
    state = {
        "__client_vpn_found": {"client_vpn_endpoints": [{"client_vpn_endpoint_id": "cvpn-1", "subnets": associated}]},
        "__client_vpn_login_subnets_read": read,
        "__client_vpn_subnets_associated": {"subnets": others} if others else {"skipped": True},
    }
    found = network.associations({**variables, "client_vpn_subnets": candidates, **state})
    assert (found.chosen, found.unread) == (chosen, unread)


def test_clusters_outside_this_run_are_named(variables: dict[str, t.Any]) -> None:
    tags = [{"mlfleet.hyperpod/cluster": "arn:b"}, {"mlfleet.hyperpod/cluster": "arn:ml"}, {}, {"mlfleet.hyperpod/cluster": "arn:b"}]
    groups = [{"group_id": f"sg-{number}", "tags": each} for number, each in enumerate(tags)]
    state = {"__client_vpn_groups_found": {"security_groups": [{}]}, "__client_vpn_admitting": {"security_groups": groups}}
    found = network.admitting({**variables, **state})
    assert (found.exists, found.groups, found.others) == (True, ["sg-0", "sg-1", "sg-2", "sg-3"], ["arn:b"])


def test_without_a_security_group_access_is_reported_as_missing(variables: dict[str, t.Any]) -> None:
    state = {"__client_vpn_groups_found": {"security_groups": []}, "__client_vpn_admitting": {"skipped": True}}
    found = network.admitting({**variables, **state})
    assert (found.exists, found.groups, found.others) == (False, [], [])


@pytest.mark.parametrize(("given", "port"), [({}, 22), ({"login_balancer_port": 2222}, 2222)])
def test_the_balancer_and_ports_of_nodes_are_opened(variables: dict[str, t.Any], given: dict[str, int], port: int) -> None:
    state = {"__client_vpn_balancer_groups": {"security_groups": [{"group_id": "sg-nlb"}]}, "client_vpn_node_ports": [222]}
    assert network.admitting({**variables, **given, **state}).rules == [["sg-nlb", port], ["sg-login", 222]]
