# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of a single security group rule."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.model import (
    Desired,
    GroupReference,
    Rule,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY

OWNER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
OURS = {"mlfleet.hyperpod/cluster": OWNER}
WANTED = Desired(
    present=True,
    group=GroupReference(id="sg-nodes"),
    egress=False,
    protocol="tcp",
    from_port=22,
    to_port=22,
    cidr=None,
    source=GroupReference(name="balancer", vpc_id="vpc-1"),
    description="SSH",
    tags=OURS,
    cluster_arn=OWNER,
)
UNWANTED = dataclasses.replace(WANTED, present=False)
RULE = Rule("sgr-1", WANTED.match("sg-lb"), "SSH", OURS)
OTHER = dataclasses.replace(WANTED, description="other", tags={**OURS, "a": "b"})
STATE = State("sg-nodes", "sg-lb", RULE)
NONE = State("sg-nodes", "sg-lb")


def operations(the_plan) -> list[str]:
    return [step.operation for step in the_plan.steps]


@pytest.mark.parametrize(
    ("wanted", "rule", "present", "absent"),
    [
        ({}, RULE, [], ["RevokeSecurityGroupIngress"]),
        ({}, None, ["AuthorizeSecurityGroupIngress"], []),
        ({"egress": True}, None, ["AuthorizeSecurityGroupEgress"], []),
        ({"description": None}, RULE, [], ["RevokeSecurityGroupIngress"]),
        ({"description": "other"}, RULE, ["ModifySecurityGroupRules"], ["RevokeSecurityGroupIngress"]),
        ({"tags": {**OURS, "a": "b"}}, RULE, ["CreateTags"], ["RevokeSecurityGroupIngress"]),
        ({}, dataclasses.replace(RULE, tags={}), [], []),
        ({"description": "other"}, dataclasses.replace(RULE, tags={"mlfleet.hyperpod/cluster": "another"}), [], []),
    ],
)
def test_only_our_rule_is_changed(wanted, rule, present, absent):
    desired = dataclasses.replace(WANTED, **wanted)
    state = dataclasses.replace(STATE, rule=rule)
    assert operations(plan(desired, state, check_mode=False)) == present
    assert operations(plan(dataclasses.replace(desired, present=False), state, check_mode=False)) == absent


def test_the_predicted_state_needs_no_step():
    for desired, state in ((WANTED, NONE), (UNWANTED, STATE), (OTHER, STATE)):
        the_plan = plan(desired, state, check_mode=False)
        assert the_plan and not plan(desired, the_plan.after(state), check_mode=False)


def test_a_rule_is_revoked_by_its_id():
    (step,) = plan(UNWANTED, STATE, check_mode=False).steps
    assert step.arguments == {"GroupId": "sg-nodes", "SecurityGroupRuleIds": ["sgr-1"]}


def test_a_rule_of_others_is_sufficient_and_stays():
    state = dataclasses.replace(STATE, rule=dataclasses.replace(RULE, tags={}))
    assert result(WANTED, state)["security_group_rule"]["owned"] is False
    assert plan(UNWANTED, state, check_mode=False).notes


@pytest.mark.parametrize(
    ("cidr", "kind"), [("10.1.0.0/16", "IpRanges"), ("fd00::/64", "Ipv6Ranges"), (None, "UserIdGroupPairs")]
)
def test_the_peer_is_in_the_field_of_its_kind(cidr, kind):
    desired = dataclasses.replace(WANTED, cidr=cidr, source=None if cidr else WANTED.source)
    (step,) = plan(desired, State("sg-nodes", cidr or "sg-lb"), check_mode=False).steps
    (permission,) = step.arguments["IpPermissions"]
    assert kind in permission and permission["FromPort"] == 22


def test_all_protocols_send_no_ports():
    desired = dataclasses.replace(WANTED, protocol="-1", from_port=-1, to_port=-1)
    (step,) = plan(desired, NONE, check_mode=False).steps
    assert "FromPort" not in step.arguments["IpPermissions"][0]


@pytest.mark.parametrize("state", [State(None, "sg-lb"), State("sg-nodes", None)])
def test_a_missing_group_is_accepted_only_in_check_mode(state):
    with pytest.raises(Refused, match="does not exist"):
        plan(WANTED, state, check_mode=False)
    (step,) = plan(WANTED, state, check_mode=True).steps
    assert KNOWN_AFTER_APPLY in (step.arguments["GroupId"], step.changes[0].after["peer"])
    assert not plan(UNWANTED, state, check_mode=False)


@pytest.mark.parametrize(("protocol", "shown"), [("tcp", "tcp"), ("-1", "all")])
@pytest.mark.parametrize(("egress", "direction"), [(False, "ingress"), (True, "egress")])
def test_the_result_has_the_values_of_the_options(protocol, shown, egress, direction):
    returned = result(dataclasses.replace(WANTED, protocol=protocol, egress=egress), STATE)["security_group_rule"]
    assert (returned["protocol"], returned["direction"], returned["peer"]) == (shown, direction, "sg-lb")
    assert (returned["exists"], returned["owned"], returned["security_group_rule_id"], returned["tags"]) == (True, True, "sgr-1", OURS)
    bare = result(dataclasses.replace(WANTED, protocol=protocol, egress=egress), NONE)["security_group_rule"]
    assert (bare["exists"], bare["owned"], bare["security_group_rule_id"], bare["description"]) == (False, False, None, "SSH")
