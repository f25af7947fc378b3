# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network that the role creates, and the network of the cluster."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import network
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster.network import Place

from .given import ARN, cluster, resource, variables

MADE: dict[str, t.Any] = {
    "__training_cluster_made_vpc": {"vpc": {"id": "vpc-1"}},
    "__training_cluster_made_subnet": {
        "results": [{"item": {"name": f"ml.{each}"}, "subnet": {"id": f"subnet-{each}"}} for each in ("public", "nodes", "control-plane")]
    },
    "__training_cluster_made_internet_gateway": {"gateway_id": "igw-1"},
    "__training_cluster_made_nat_gateway": {"nat_gateway_id": "nat-1"},
}


def test_ids_are_empty_before_the_resources_exist() -> None:
    found = network.created(variables())
    assert found.needed and (found.vpc["id"], found.nat_gateway["id"]) == ("", "")
    assert [(each["name"], each["zone"]) for each in found.subnets] == [
        ("ml.public", "us-west-2b"),
        ("ml.nodes", "us-west-2b"),
        ("ml.control-plane", "us-west-2a"),
    ]
    assert network.place(variables()) == Place("", ["", ""], "")


def test_later_tasks_use_what_earlier_tasks_created() -> None:
    found = network.created(variables(**MADE))
    assert (found.nat_gateway["id"], found.nat_gateway["subnet"]) == ("nat-1", "subnet-public")
    assert [(each["routes"], each["subnets"]) for each in found.route_tables] == [
        ([{"dest": "0.0.0.0/0", "gateway_id": "igw-1"}], ["subnet-public"]),
        ([{"dest": "0.0.0.0/0", "gateway_id": "nat-1"}], ["subnet-nodes", "subnet-control-plane"]),
    ]
    assert network.place(variables(**MADE)) == Place("vpc-1", ["subnet-nodes", "subnet-control-plane"], "subnet-nodes")


def test_resources_of_an_earlier_run_are_used_but_not_those_of_someone_else() -> None:
    theirs = {**resource("vpc", "ml", ours=False), "id": "vpc-theirs"}
    assert network.created(variables(theirs, resource("vpc", "ml"), **MADE)).vpc["id"] == "vpc-1"
    assert network.created(variables(theirs)).vpc["id"] == ""
    assert network.created(variables(resource("nat_gateway", "ml"))).nat_gateway["id"] == "nat_gateway-1"
    assert network.created(variables(resource("nat_gateway", "ml", status="deleted"))).nat_gateway["id"] == ""
    skipped = {"__training_cluster_made_nat_gateway": {"skipped": True, "changed": False}}
    assert network.created(variables(**skipped)).nat_gateway["id"] == ""


def test_check_mode_compares_only_a_complete_network() -> None:
    subnets = [resource("subnet", f"ml.{each}", availability_zone="us-west-2b") for each in ("public", "nodes", "control-plane")]
    tables = [resource("route_table", f"ml.{each}") for each in ("public", "nodes")]
    others = [resource(kind, "ml") for kind in ("vpc", "internet_gateway", "elastic_ip", "nat_gateway")]
    parts = [cluster(), *others, *subnets, *tables, resource("vpc_endpoint", "ml.s3")]
    assert network.created(variables(*parts, check=True)).needed
    for place, part in enumerate(parts[1:], start=1):
        less = [*parts[:place], *parts[place + 1 :]]
        assert not network.created(variables(*less, check=True)).needed, part
        assert network.created(variables(*less)).needed


def test_each_resource_is_marked() -> None:
    found = network.created(variables(tags={"team": "a"}))
    common = {"team": "a", "mlfleet.hyperpod/cluster": ARN}
    assert found.subnets[1]["tags"] == {**common, "Name": "ml.nodes", "mlfleet.hyperpod/component": "subnet"}
    assert found.endpoint["tags"] == {**common, "Name": "ml.s3", "mlfleet.hyperpod/component": "vpc_endpoint"}
    assert found.elastic_ip["tags"]["mlfleet.hyperpod/component"] == "elastic_ip"


def test_the_sdk_does_not_repeat_calls_without_a_token() -> None:
    assert network.created(variables()).once["retries"]["total_max_attempts"] == 1


def test_the_endpoint_is_in_all_route_tables() -> None:
    tables = [{**resource("route_table", name), "id": f"rtb-{name}"} for name in ("ml.public", "ml.nodes")]
    assert network.created(variables(*tables)).endpoint["route_tables"] == ["rtb-ml.public", "rtb-ml.nodes"]


def test_a_given_network_is_used() -> None:
    given = variables(vpc_id="vpc-5", subnet_ids=["subnet-5", "subnet-6"], node_subnet_id="subnet-7")
    assert not network.created(given).needed
    assert network.place(given) == Place("vpc-5", ["subnet-5", "subnet-6"], "subnet-7")


def test_the_network_of_a_cluster_of_someone_else_is_used() -> None:
    theirs = variables(cluster(ours=False), node_subnet_id="subnet-7")
    assert not network.created(theirs).needed and network.place(theirs) == Place("vpc-9", [], "subnet-7")
