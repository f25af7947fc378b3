# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""balancer_adoption against the simulated API: what others made is tagged as kept, and given back."""

from __future__ import annotations

import pytest
from lab.aws import permissions
from modules.fixtures.balancer import CLUSTER
from simulated.shape import changes_once, one_shape


@pytest.fixture
def theirs(simulator, network):
    """A balancer of others, which our policy names, found at once as if it had been there for long: the options that adopt it."""
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


def test_adopted_and_given_back(simulator, theirs):
    adopted, given_back = one_shape(
        simulator, "balancer_adoption", present={**theirs, "scheme": "internal"}, absent={**theirs, "state": "absent"}
    )
    assert set(adopted["mutating"]) == {"AddTags"} and adopted["balancer_adoption"]["adopted"]
    assert set(given_back["mutating"]) == {"RemoveTags"} and not given_back["balancer_adoption"]["adopted"]


def test_what_is_adopted_is_ours_and_keeps_its_tags(simulator, theirs):
    simulator.run("balancer_adoption", **theirs, scheme="internal")
    refused = simulator.run("balancer_adoption", **{**theirs, "cluster_arn": CLUSTER.replace("abc", "xyz")})
    assert refused["failed"] and "belongs to" in refused["msg"] and not refused["mutating"]
    ours = {"name": "theirs", "cluster_arn": CLUSTER, "purge_tags": False}
    kept = simulator.run("network_load_balancer", **ours, attributes={"cross_zone": True})
    assert kept["mutating"] == ["ModifyLoadBalancerAttributes"]
    simulator.run("balancer_adoption", **theirs, state="absent")
