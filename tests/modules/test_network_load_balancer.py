# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""network_load_balancer against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.balancer import CLUSTER
from simulated.shape import changes_once, one_shape

NAME = "hp-ml-4574af3f"
UNFORESEEN = [f"network_load_balancer.{name}" for name in ("status", "canonical_hosted_zone_id", "created_time", "subnets.zone")]
REMOVED = {"name": NAME, "state": "absent", "cluster_arn": CLUSTER, "force_delete": True}


@pytest.fixture(scope="module")
def target_group(simulator, network):
    simulator.run("target_group", name=NAME, port=22, vpc_id=network["vpc"], cluster_arn=CLUSTER)


@pytest.fixture
def options(network, target_group):
    return {
        "name": NAME,
        "subnet_mappings": [{"subnet_id": network["subnets"][0], "private_ipv4_address": "10.1.1.200"}],
        "security_groups": network["groups"][1:2],
        "listeners": [{"port": 22, "target_group_name": NAME, "tcp_idle_timeout": 3600}],
        "attributes": {"cross_zone": True},
        "deletion_protection": True,
        "cluster_arn": CLUSTER,
    }


def test_made_and_removed(simulator, options):
    created, _removed = one_shape(simulator, "network_load_balancer", present=options, absent=REMOVED, unforeseen=UNFORESEEN)
    assert created["network_load_balancer"]["status"] == "active"


def test_changed_in_place_and_foreign_ones_unchanged(simulator, network, options):
    simulator.run("network_load_balancer", **options)
    changed = changes_once(
        simulator,
        "network_load_balancer",
        unforeseen=UNFORESEEN,
        name=NAME,
        subnets=network["subnets"],
        security_groups=network["groups"][2:],
        listeners=[{"port": 2222, "target_group_name": NAME}],
        attributes={"cross_zone": False},
        tags={"team": "research"},
        cluster_arn=CLUSTER,
    )
    first, second = sorted(changed["network_load_balancer"]["subnets"], key=lambda each: each["zone"])
    assert (first["private_ipv4_address"], second["private_ipv4_address"]) == ("10.1.1.200", None)
    refused = simulator.run("network_load_balancer", name=NAME, state="absent")
    assert refused["failed"] and "force_delete" in refused["msg"] and not refused["mutating"]
    foreign = simulator.run("network_load_balancer", name=NAME, state="absent", cluster_arn=CLUSTER.replace("abc", "xyz"))
    assert not foreign["changed"] and not foreign["mutating"]
    changes_once(simulator, "network_load_balancer", **REMOVED)


def test_check_mode_on_an_empty_account(simulator, network):
    planned = simulator.run(
        "network_load_balancer",
        check=True,
        name="hp-none",
        subnets=network["subnets"],
        security_groups=network["groups"][:1],
        listeners=[{"port": 22, "target_group_name": "hp-none"}],
    )
    assert planned["changed"] and not planned["mutating"]
    (listener,) = planned["network_load_balancer"]["listeners"]
    assert listener["target_group_arn"] == "(known after apply)"
    really = simulator.run(
        "network_load_balancer",
        name="hp-none",
        subnets=network["subnets"],
        security_groups=network["groups"][:1],
        listeners=[{"port": 22, "target_group_name": "hp-none"}],
    )
    assert really["failed"] and not really["mutating"]
    assert "'hp-none' is not allowed: port 22 forwards to this target group, which does not exist" in really["msg"]


@pytest.mark.parametrize("inner", ["GetSecurityGroupsForVpc", "DescribeAccountAttributes"])
def test_a_missing_permission_for_an_inner_call_is_named(simulator, network, faults, inner):
    faults(kind="deny", service="ec2", operation=inner)
    refused = simulator.run(
        "network_load_balancer", name="hp-denied", subnets=network["subnets"], security_groups=network["groups"][:1]
    )
    assert refused["failed"] and refused["error"]["code"] == "AccessDenied"
    assert f"not authorized to perform: ec2:{inner}" in refused["msg"] and "allow the action" in refused["msg"]
    assert not refused["problems"]
    left = simulator.run("network_load_balancer", check=True, name="hp-denied", state="absent")
    assert not left["changed"]


LOST = (
    "CreateLoadBalancer",
    "ModifyLoadBalancerAttributes",
    "CreateListener",
    "ModifyListenerAttributes",
    "DeleteListener",
    "DeleteLoadBalancer",
)


def test_lost_replies_cause_no_duplicates(simulator, network, faults):
    simulator.run("target_group", name="hp-lost", port=22, vpc_id=network["vpc"], cluster_arn=CLUSTER)
    for operation in LOST:
        faults(kind="cut_after", operation=operation, times=1)
    made = {
        "name": "hp-lost",
        "subnets": network["subnets"],
        "security_groups": network["groups"][:1],
        "listeners": [{"port": 22, "target_group_name": "hp-lost", "tcp_idle_timeout": 600}],
        "attributes": {"cross_zone": True},
        "cluster_arn": CLUSTER,
    }
    removal = {"name": "hp-lost", "state": "absent", "cluster_arn": CLUSTER}
    for arguments, exists in ((made, True), (removal, False)):
        result = simulator.run("network_load_balancer", **arguments)
        assert not result.get("failed"), result["msg"]
        assert result["network_load_balancer"]["exists"] is exists
        assert not simulator.run("network_load_balancer", **arguments)["mutating"]
    assert [rule["fired"] for rule in simulator.control("faults")] == [1] * len(LOST)
