# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""security_group_rule against the simulated API: it changes only one rule."""

from __future__ import annotations

import pytest
from modules.fixtures.balancer import CLUSTER
from simulated.shape import changes_once, one_shape


@pytest.fixture
def rule(network):
    """SSH from the balancer to the nodes."""
    group = {"group_id": network["groups"][0], "from_port": 22, "cluster_arn": CLUSTER}
    return {**group, "source_group_name": "balancer", "vpc_id": network["vpc"]}


def test_made_and_removed(simulator, network, rule):
    made, _removed = one_shape(
        simulator,
        "security_group_rule",
        present={**rule, "description": "SSH"},
        absent={**rule, "state": "absent"},
    )
    assert made["security_group_rule"]["owned"] and made["security_group_rule"]["peer"] == network["groups"][1]


def test_foreign_rules_are_unchanged(simulator, network, rule):
    nodes, _balancer, other = network["groups"]
    ec2 = simulator.client("ec2")
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": nodes}]}]
    foreign = [{"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "UserIdGroupPairs": [{"GroupId": other}]}]
    ec2.authorize_security_group_ingress(GroupId=nodes, IpPermissions=itself + foreign)
    ec2.authorize_security_group_egress(GroupId=nodes, IpPermissions=itself)

    def rules() -> dict:
        found = ec2.describe_security_group_rules(Filters=[{"Name": "group-id", "Values": [nodes]}])
        return {rule["SecurityGroupRuleId"]: rule for rule in found["SecurityGroupRules"]}

    rules()  # the first description does not show new rules
    before = rules()
    created = changes_once(simulator, "security_group_rule", **rule, description="SSH")
    changes_once(simulator, "security_group_rule", **rule, description="SSH to nodes", tags={"a": "b"})
    second = simulator.run("security_group_rule", **{**rule, "from_port": 2022}, check=True)["security_group_rule"]
    assert created["security_group_rule"]["other_ports"] == [] and second["other_ports"] == [22]
    from_other = {"group_id": nodes, "from_port": 22, "cluster_arn": CLUSTER, "source_group_id": other}
    unchanged = simulator.run("security_group_rule", **from_other, description="mine")
    assert not unchanged["changed"] and unchanged["security_group_rule"]["owned"] is False
    left = simulator.run("security_group_rule", **from_other, state="absent")
    assert not left["changed"] and not left["mutating"]
    changes_once(simulator, "security_group_rule", **rule, state="absent")
    assert rules() == before
