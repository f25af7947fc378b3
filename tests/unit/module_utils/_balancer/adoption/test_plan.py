# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adoption tags resources that others created, or refuses them; giving them back removes the tags."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.adoption.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.adoption.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.adoption.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer.model import (
    Listener,
    LoadBalancer,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group.model import TargetGroup
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

OWNER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
TAGS = {"mlfleet.hyperpod/cluster": OWNER, "mlfleet.hyperpod/component": "login_balancer"}
WANTED = Desired("smhp-login-node-lb", "smhp-login-node-tg", OWNER, scheme="internal", tags=TAGS)
BALANCER = LoadBalancer(
    arn="arn:lb",
    name="smhp-login-node-lb",
    type="network",
    scheme="internal",
    status="active",
    vpc_id="vpc-1",
    tags={"team": "research"},
    listeners=(Listener("arn:listener", 22, "TCP", "arn:tg", 350), Listener("arn:other", 443, "TLS", "arn:web", None)),
)
GROUP = TargetGroup(
    arn="arn:tg",
    name="smhp-login-node-tg",
    properties={"protocol": "TCP", "port": 22, "vpc_id": "vpc-1", "target_type": "ip"},
    health_check={"port": "traffic-port"},
    attributes={},
    tags={},
)
STATE = State(BALANCER, GROUP)
GIVEN_BACK = dataclasses.replace(WANTED, present=False)
ADOPTED = plan(WANTED, STATE).after(STATE)


def test_both_resources_are_tagged_and_nothing_else_changes():
    assert [(step.operation, step.arguments["ResourceArns"]) for step in plan(WANTED, STATE).steps] == [
        ("AddTags", ["arn:lb"]),
        ("AddTags", ["arn:tg"]),
    ]
    assert dataclasses.replace(ADOPTED.load_balancer, tags=BALANCER.tags) == BALANCER
    assert ADOPTED.load_balancer.tags == {"team": "research", **TAGS}
    assert result(WANTED, STATE)["balancer_adoption"]["adopted"] is False
    assert result(WANTED, ADOPTED)["balancer_adoption"]["adopted"] is True
    assert result(WANTED, dataclasses.replace(ADOPTED, target_group=GROUP))["balancer_adoption"]["adopted"] is False


def test_a_partial_adoption_is_completed_and_a_complete_one_needs_no_change():
    half = State(ADOPTED.load_balancer, GROUP)
    assert [step.arguments["ResourceArns"] for step in plan(WANTED, half).steps] == [["arn:tg"]]
    assert not plan(WANTED, ADOPTED)


@pytest.mark.parametrize("port", [22, 222, 2222])
def test_targets_without_a_port_do_not_prevent_an_adoption(port):
    group = dataclasses.replace(GROUP, properties={**GROUP.properties, "port": port})
    assert len(plan(WANTED, dataclasses.replace(STATE, target_group=group)).steps) == 2


OTHERS = {"mlfleet.hyperpod/cluster": OWNER.replace("abc", "xyz")}
REFUSED = {
    "no load balancer": ({"load_balancer": None}, {}, "load_balancer: 'smhp-login-node-lb' is not allowed"),
    "no target group": ({"target_group": None}, {}, "target_group: 'smhp-login-node-tg' is not allowed"),
    "application": ({}, {"type": "application"}, "its type is application. Allowed: a network load balancer"),
    "internet-facing": ({}, {"scheme": "internet-facing"}, "is internet-facing, and AWS cannot change that"),
    "another cluster's": ({}, {"tags": OTHERS}, "belongs to"),
    "no listener": ({}, {"listeners": BALANCER.listeners[1:]}, "Allowed: a load balancer with a listener for port 22"),
    "listener of another group": (
        {},
        {"listeners": (Listener("arn:listener", 22, "TCP", "arn:web", 350),)},
        r"port 22 \(TCP\) of load balancer smhp-login-node-lb forwards to arn:web\.",
    ),
    "TLS": ({}, {"listeners": (Listener("arn:listener", 22, "TLS", "arn:tg", None),)}, r"port 22 \(TLS\)"),
    "group of another cluster": ({"target_group": dataclasses.replace(GROUP, tags=OTHERS)}, {}, "belongs to"),
    **{
        f"group with {name}": (
            {"target_group": dataclasses.replace(GROUP, properties={**GROUP.properties, name: value})},
            {},
            f"has {name} '?{value}'?, and AWS cannot change that",
        )
        for name, value in {"target_type": "instance", "protocol": "TCP_UDP", "vpc_id": "vpc-2"}.items()
    },
}


@pytest.mark.parametrize(("state", "balancer", "words"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_precedes_every_change(state, balancer, words):
    seen = dataclasses.replace(STATE, load_balancer=dataclasses.replace(BALANCER, **balancer))
    with pytest.raises(Refused, match=words):
        plan(WANTED, dataclasses.replace(seen, **state))


def test_giving_back_removes_our_tags_only():
    the_plan = plan(GIVEN_BACK, ADOPTED)
    assert [(step.operation, step.arguments["TagKeys"]) for step in the_plan.steps] == [("RemoveTags", sorted(TAGS))] * 2
    assert the_plan.after(ADOPTED) == STATE
    assert not plan(GIVEN_BACK, STATE)
    assert not plan(GIVEN_BACK, State())
