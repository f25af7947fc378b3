# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""balancer_adoption against the simulated API: foreign resources are tagged as kept, and returned."""

from __future__ import annotations

import pytest
from lab.aws import permissions
from modules.fixtures.balancer import CLUSTER
from simulated.shape import changes_once, one_shape


@pytest.fixture
def foreign(simulator, network):
    """A foreign load balancer that our policy names and that is visible at once; yields the options that adopt it."""
    before = {name: simulator.control("settings")[name] for name in ("elb_unseen_seconds", "policies")}
    simulator.control("settings", {"elb_unseen_seconds": 0, "policies": permissions.documented(balancers="theirs")})
    elbv2 = simulator.client("elbv2")
    team = {"Name": "theirs", "Tags": [{"Key": "team", "Value": "research"}]}
    group = elbv2.create_target_group(Protocol="TCP", Port=22, VpcId=network["vpc"], TargetType="ip", **team)
    arn = group["TargetGroups"][0]["TargetGroupArn"]
    balancer = elbv2.create_load_balancer(Type="network", Scheme="internal", Subnets=network["subnets"], **team)
    forward = {"DefaultActions": [{"Type": "forward", "TargetGroupArn": arn}]}
    made = balancer["LoadBalancers"][0]["LoadBalancerArn"]
    elbv2.create_listener(LoadBalancerArn=made, Protocol="TCP", Port=22, **forward)
    elbv2.get_waiter("load_balancer_available").wait(LoadBalancerArns=[made], WaiterConfig={"Delay": 0.1, "MaxAttempts": 300})
    yield {"load_balancer": "theirs", "target_group": arn, "cluster_arn": CLUSTER}
    changes_once(simulator, "network_load_balancer", name="theirs", state="absent")
    changes_once(simulator, "target_group", name="theirs", state="absent")
    simulator.control("settings", before)


def test_a_load_balancer_is_adopted_and_returned(simulator, foreign):
    adopted, given_back = one_shape(
        simulator, "balancer_adoption", present={**foreign, "scheme": "internal"}, absent={**foreign, "state": "absent"}
    )
    assert set(adopted["mutating"]) == {"AddTags"} and adopted["balancer_adoption"]["adopted"]
    assert set(given_back["mutating"]) == {"RemoveTags"} and not given_back["balancer_adoption"]["adopted"]


def test_an_adopted_load_balancer_is_owned_and_keeps_its_tags(simulator, foreign):
    simulator.run("balancer_adoption", **foreign, scheme="internal")
    refused = simulator.run("balancer_adoption", **{**foreign, "cluster_arn": CLUSTER.replace("abc", "xyz")})
    assert refused["failed"] and "belongs to" in refused["msg"] and not refused["mutating"]
    options = {"name": "theirs", "cluster_arn": CLUSTER, "purge_tags": False}
    kept = simulator.run("network_load_balancer", **options, attributes={"cross_zone": True})
    assert kept["mutating"] == ["ModifyLoadBalancerAttributes"]
    simulator.run("balancer_adoption", **foreign, state="absent")
