# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of load balancers and their listeners."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Subnet
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer.model import (
    Desired,
    DesiredListener,
    Listener,
    LoadBalancer,
    State,
    SubnetMapping,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY

OWNER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
A, B, C = "subnet-0000000000000000a", "subnet-0000000000000000b", "subnet-0000000000000000c"
SG1, SG2 = "sg-00000000000000001", "sg-00000000000000002"
SUBNETS = {
    A: Subnet(A, "us-west-2a", "vpc-1", "10.1.1.0/24"),
    B: Subnet(B, "us-west-2b", "vpc-1", "10.1.2.0/24"),
    C: Subnet(C, "us-west-2a", "vpc-1", "10.1.3.0/24"),
}
GROUPS = {"tg": "arn:tg", "new": None}
FOUND = LoadBalancer(
    arn="arn:lb",
    name="lb",
    type="network",
    scheme="internal",
    status="active",
    subnets=(SubnetMapping(A, "10.1.1.5", "us-west-2a"),),
    security_groups=(SG1,),
    attributes={"cross_zone": False, "deletion_protection": False, "client_routing_policy": "any_availability_zone"},
    tags={"mlfleet.hyperpod/cluster": OWNER, "old": "1"},
    listeners=(Listener("arn:listener", 22, "TCP", "arn:tg", 350),),
)
STATE = State(FOUND, GROUPS, SUBNETS)
WANTED = Desired(
    name="lb",
    subnets=(SubnetMapping(A),),
    security_groups=(SG1,),
    listeners=(DesiredListener(22, "tg", None),),
    cluster_arn=OWNER,
)


def planned(desired: Desired, state: State = STATE, *, check_mode: bool = False):
    return plan(desired, state, check_mode=check_mode)


def operations(the_plan) -> list[str]:
    return [step.operation for step in the_plan.steps]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, []),
        ({"scheme": "internal"}, []),
        ({"security_groups": (SG2, SG1)}, ["SetSecurityGroups"]),
        ({"security_groups": (SG2,)}, ["SetSecurityGroups"]),
        ({"security_groups": None}, []),
        ({"security_groups": (SG1,), "purge_security_groups": False}, []),
        ({"security_groups": (SG2,), "purge_security_groups": False}, ["SetSecurityGroups"]),
        ({"subnets": (SubnetMapping(B), SubnetMapping(A))}, ["SetSubnets"]),
        ({"subnets": (SubnetMapping(B),)}, ["SetSubnets"]),
        ({"subnets": (SubnetMapping(A, "10.1.1.5"),)}, []),
        ({"attributes": {"cross_zone": False}}, []),
        ({"attributes": {"cross_zone": True, "deletion_protection": True}}, ["ModifyLoadBalancerAttributes"]),
        ({"tags": {"old": "1"}}, ["RemoveTags"]),
        ({"tags": {"old": "1", "mlfleet.hyperpod/cluster": OWNER}}, []),
        ({"tags": {"old": "2", "mlfleet.hyperpod/cluster": OWNER}}, ["AddTags"]),
        ({"tags": {}, "purge_tags": False}, []),
        ({"listeners": None}, []),
        ({"listeners": ()}, ["DeleteListener"]),
        ({"listeners": (), "purge_listeners": False}, []),
        ({"listeners": (DesiredListener(22, "tg", 350),)}, []),
        ({"listeners": (DesiredListener(22, "tg", 3600),)}, ["ModifyListenerAttributes"]),
        (
            {"listeners": (DesiredListener(2222, "tg", 60),)},
            ["CreateListener", "ModifyListenerAttributes", "DeleteListener"],
        ),
        ({"listeners": (DesiredListener(2222, "tg", None),)}, ["CreateListener", "DeleteListener"]),
    ],
)
def test_only_differences_are_sent(wanted, expected):
    desired = dataclasses.replace(WANTED, **wanted)
    the_plan = planned(desired)
    assert operations(the_plan) == expected
    assert all(step.changes for step in the_plan.steps)
    assert not planned(dataclasses.replace(desired, cluster_arn=None), the_plan.after(STATE))


@pytest.mark.parametrize(
    ("wanted", "found", "words"),
    [
        ({"scheme": "internet-facing"}, {}, "scheme"),
        ({"subnets": (SubnetMapping(A, "10.1.1.6"),)}, {}, "private_ipv4_address"),
        ({}, {"security_groups": ()}, "security_groups"),
        ({}, {"type": "application"}, "application"),
        ({}, {"tags": {}}, "adopt"),
        ({"subnets": (SubnetMapping(A), SubnetMapping(C))}, {}, "is in the same zone, us-west-2a. .* one per zone"),
        ({"subnets": (SubnetMapping(A), SubnetMapping("subnet-0000000000000000d"))}, {}, "does not exist"),
        ({"subnets": (SubnetMapping(A), SubnetMapping(B, "10.1.1.7"))}, {}, "Allowed: addresses within 10.1.2.0/24"),
        ({"listeners": (DesiredListener(22, "new", None),)}, {}, "new"),
    ],
)
def test_a_refusal_names_the_option_before_any_change(wanted, found, words):
    state = dataclasses.replace(STATE, load_balancer=dataclasses.replace(FOUND, **found))
    with pytest.raises(Refused, match=words):
        planned(dataclasses.replace(WANTED, **wanted), state)


def test_a_foreign_load_balancer_is_adopted_only_on_request():
    state = dataclasses.replace(STATE, load_balancer=dataclasses.replace(FOUND, tags={}))
    desired = dataclasses.replace(WANTED, adopt=True, tags={"mlfleet.hyperpod/cluster": OWNER})
    assert operations(planned(desired, state)) == ["AddTags"]


def test_security_groups_that_are_not_listed_stay_unless_purged():
    wanted = dataclasses.replace(WANTED, security_groups=(SG2,), purge_security_groups=False)
    (step,) = planned(wanted).steps
    assert step.arguments["SecurityGroups"] == [SG1, SG2]
    (step,) = planned(dataclasses.replace(wanted, purge_security_groups=True)).steps
    assert step.arguments["SecurityGroups"] == [SG2]


def test_resources_of_another_cluster_are_never_adopted():
    tags = {"mlfleet.hyperpod/cluster": OWNER.replace("abc", "xyz")}
    state = dataclasses.replace(STATE, load_balancer=dataclasses.replace(FOUND, tags=tags))
    with pytest.raises(Refused, match="belongs to"):
        planned(dataclasses.replace(WANTED, adopt=True), state)


@pytest.mark.parametrize("missing", ["subnets", "security_groups"])
def test_creation_needs_subnets_and_security_groups(missing):
    with pytest.raises(Refused, match=missing):
        planned(dataclasses.replace(WANTED, **{missing: None}), State(None, GROUPS, SUBNETS))


def test_the_state_predicted_by_a_creation_needs_no_further_change():
    desired = dataclasses.replace(
        WANTED,
        attributes={"cross_zone": True, "deletion_protection": False},
        listeners=(DesiredListener(22, "tg", 3600),),
        tags={"mlfleet.hyperpod/cluster": OWNER},
    )
    the_plan = planned(desired, State(None, GROUPS, SUBNETS))
    assert operations(the_plan) == [
        "CreateLoadBalancer",
        "ModifyLoadBalancerAttributes",
        "CreateListener",
        "ModifyListenerAttributes",
    ]
    create = the_plan.steps[0].arguments
    assert create["SecurityGroups"] == [SG1] and create["Scheme"] == "internal"
    assert the_plan.steps[1].arguments["Attributes"] == [{"Key": "load_balancing.cross_zone.enabled", "Value": "true"}]
    assert not planned(desired, the_plan.after(State(None, GROUPS, SUBNETS)))


def test_in_check_mode_a_missing_target_group_is_known_later():
    desired = dataclasses.replace(WANTED, listeners=(DesiredListener(22, "new", None),))
    the_plan = planned(desired, State(None, GROUPS, SUBNETS), check_mode=True)
    assert the_plan.after(State(None, GROUPS, SUBNETS)).load_balancer.listeners[0].target_group_arn == KNOWN_AFTER_APPLY


def test_adding_a_subnet_names_the_existing_mapping_with_its_address():
    the_plan = planned(dataclasses.replace(WANTED, subnets=(SubnetMapping(A), SubnetMapping(B, "10.1.2.9"))))
    assert the_plan.steps[0].arguments["SubnetMappings"] == [
        {"SubnetId": A, "PrivateIPv4Address": "10.1.1.5"},
        {"SubnetId": B, "PrivateIPv4Address": "10.1.2.9"},
    ]


def test_subnets_that_are_not_listed_stay_unless_purged():
    kept = planned(dataclasses.replace(WANTED, subnets=(SubnetMapping(B),)))
    assert {each["SubnetId"] for each in kept.steps[0].arguments["SubnetMappings"]} == {A, B}
    assert kept.notes
    purged = planned(dataclasses.replace(WANTED, subnets=(SubnetMapping(B),), purge_subnets=True))
    assert [each["SubnetId"] for each in purged.steps[0].arguments["SubnetMappings"]] == [B]


@pytest.mark.parametrize(
    ("found", "force", "expected"),
    [
        ({}, False, ["DeleteListener", "DeleteLoadBalancer"]),
        (
            {"attributes": {"deletion_protection": True}},
            True,
            ["ModifyLoadBalancerAttributes", "DeleteListener", "DeleteLoadBalancer"],
        ),
        ({"tags": {}}, True, []),
        ({"type": "application"}, True, []),
    ],
)
def test_absent_removes_only_our_resources(found, force, expected):
    state = dataclasses.replace(STATE, load_balancer=dataclasses.replace(FOUND, **found))
    the_plan = plan(dataclasses.replace(WANTED, present=False, force_delete=force), state, check_mode=False)
    assert operations(the_plan) == expected
    assert bool(the_plan.notes) is not bool(expected)
    assert (the_plan.after(state).load_balancer is None) is bool(expected)


def test_a_protected_load_balancer_stays_without_force():
    state = State(dataclasses.replace(FOUND, attributes={"deletion_protection": True}))
    with pytest.raises(Refused, match="force_delete"):
        plan(dataclasses.replace(WANTED, present=False), state, check_mode=False)
