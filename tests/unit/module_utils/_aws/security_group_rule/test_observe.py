# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rule as EC2 returns it, without the fields that do not apply."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.observe import Observer

GROUP, PEER = "sg-0123456789abcdef0", "sg-0123456789abcdef1"
ABOUT = {"SecurityGroupRuleId": "sgr-0123456789abcdef0", "GroupId": GROUP, "IsEgress": False}
CIDR, OTHER = {"CidrIpv4": "10.1.0.0/16"}, {"ReferencedGroupInfo": {"GroupId": PEER}}
SSH = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22}


def params_of(**given: t.Any) -> dict[str, t.Any]:
    nothing = dict.fromkeys(("group_name", "vpc_id", "from_port", "to_port", "cidr", "source_group_id", "source_group_name"))
    about = {"state": "present", "group_id": GROUP, "direction": "ingress", "protocol": "tcp"}
    return {**nothing, **about, "description": None, "tags": None, "cluster_arn": None, **given}


@pytest.mark.parametrize(
    ("given", "answer", "found"),
    [
        ({"from_port": 22, "cidr": "10.1.0.0/16"}, {**SSH, **CIDR}, True),
        ({"from_port": 22, "cidr": "10.1.0.0/16"}, {**SSH, **CIDR, "ToPort": 23}, False),
        ({"from_port": 22, "cidr": "10.2.0.0/16"}, {**SSH, **CIDR}, False),
        ({"from_port": 22, "source_group_id": PEER}, {**SSH, **OTHER}, True),
        ({"from_port": 22, "source_group_id": GROUP}, {**SSH, **OTHER}, False),
        ({"protocol": "-1", "cidr": "10.1.0.0/16"}, {"IpProtocol": "-1", **CIDR}, True),
        ({"protocol": "-1", "cidr": "10.1.0.0/16", "direction": "egress"}, {"IpProtocol": "-1", **CIDR}, False),
    ],
)
def test_only_the_described_rule_is_found(stubbed: t.Any, given: dict[str, t.Any], answer: dict[str, t.Any], found: bool) -> None:
    client, stub = stubbed("ec2")
    desired = options.desired(params_of(**given))
    stub.add_response("describe_security_group_rules", {"SecurityGroupRules": [{**ABOUT, **answer}]})
    state = Observer(Api(client), desired, Applier(Api(client), desired), needs_groups=True)()
    assert (state.rule is not None) is found
