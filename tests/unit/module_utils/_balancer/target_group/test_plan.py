# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of target groups."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group.model import (
    ATTRIBUTES,
    Desired,
    State,
    TargetGroup,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

OWNER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
PROPERTIES = {"protocol": "TCP", "port": 22, "vpc_id": "vpc-0000000000000000a", "target_type": "ip"}
CHECK = {
    "protocol": "TCP",
    "port": "2022",
    "interval": 10,
    "timeout": 10,
    "healthy_threshold": 2,
    "unhealthy_threshold": 2,
}
DEFAULTS = {field.option: field.default for field in ATTRIBUTES}
FOUND = TargetGroup("arn:tg", "tg", PROPERTIES, CHECK, DEFAULTS, {"mlfleet.hyperpod/cluster": OWNER})
WANTED = Desired(name="tg", cluster_arn=OWNER)
UNWANTED = dataclasses.replace(WANTED, present=False)
STATE = State(FOUND)


def other_value(field):
    """A value of the field that is not its default."""
    if field.type == "bool":
        return not field.default
    if field.choices:
        return next(choice for choice in field.choices if choice != field.default)
    return field.low + 1 if field.type == "int" else "2"


@pytest.mark.parametrize("field", [field for field in ATTRIBUTES if len(field.choices) != 1], ids=lambda f: f.option)
@pytest.mark.parametrize("back", [False, True])
def test_every_attribute_can_be_switched_on_and_off(field, back):
    one, two = field.default, other_value(field)
    before, after = (two, one) if back else (one, two)
    base = {**DEFAULTS, "unhealthy_connection_termination": False}
    found = dataclasses.replace(FOUND, attributes={**base, field.option: before})
    desired, state = dataclasses.replace(WANTED, attributes={field.option: after}), State(found)
    the_plan = plan(desired, state)
    (step,) = the_plan.steps
    text = str(after).lower() if isinstance(after, bool) else str(after)
    assert step.arguments["Attributes"] == [{"Key": field.api, "Value": text}]
    assert not plan(desired, the_plan.after(state))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, []),
        ({"properties": PROPERTIES, "health_check": CHECK, "attributes": DEFAULTS}, []),
        ({"health_check": {"port": "traffic-port", "interval": 30}}, ["ModifyTargetGroup"]),
        ({"attributes": {"stickiness": True, "deregistration_delay": 0}}, ["ModifyTargetGroupAttributes"]),
        ({"tags": {"mlfleet.hyperpod/cluster": OWNER, "a": "b"}}, ["AddTags"]),
    ],
)
def test_only_differences_are_sent_in_one_call(wanted, expected):
    desired = dataclasses.replace(WANTED, **wanted)
    the_plan = plan(desired, STATE)
    assert [step.operation for step in the_plan.steps] == expected
    assert not plan(desired, the_plan.after(STATE))


def test_a_health_check_sends_only_its_changed_fields():
    desired = dataclasses.replace(WANTED, health_check={**CHECK, "interval": 20})
    (step,) = plan(desired, STATE).steps
    assert step.arguments == {"TargetGroupArn": "arn:tg", "HealthCheckIntervalSeconds": 20}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"properties": {"port": 2222}}, "port"),
        ({"properties": {"vpc_id": "vpc-0000000000000000b"}}, "vpc_id"),
        ({"health_check": {"interval": 5}}, "health_check.timeout"),
        ({"health_check": {"timeout": 11}}, "health_check.timeout"),
        ({"attributes": {"unhealthy_draining_interval": 60}}, "unhealthy_draining_interval"),
        ({"cluster_arn": OWNER.replace("abc", "xyz")}, "adopt"),
    ],
)
def test_a_refusal_names_the_option_before_any_change(wanted, words):
    with pytest.raises(Refused, match=words):
        plan(dataclasses.replace(WANTED, **wanted), STATE)


def test_a_creation_predicts_its_result():
    desired = dataclasses.replace(
        WANTED,
        properties=PROPERTIES,
        health_check={"port": "2022"},
        attributes={"deregistration_delay": 3600, "stickiness": False},
    )
    the_plan = plan(desired, State())
    create, attributes = the_plan.steps
    assert create.arguments["HealthCheckPort"] == "2022" and create.arguments["TargetType"] == "ip"
    assert attributes.arguments["Attributes"] == [{"Key": "deregistration_delay.timeout_seconds", "Value": "3600"}]
    assert not plan(dataclasses.replace(desired, cluster_arn=None), the_plan.after(State()))


@pytest.mark.parametrize("missing", ["port", "vpc_id"])
def test_creation_needs_port_and_vpc(missing):
    properties = {option: value for option, value in PROPERTIES.items() if option != missing}
    with pytest.raises(Refused, match=missing):
        plan(dataclasses.replace(WANTED, properties=properties), State())


@pytest.mark.parametrize(("tags", "expected"), [({"mlfleet.hyperpod/cluster": OWNER}, ["DeleteTargetGroup"]), ({}, [])])
def test_absent_removes_only_our_target_group(tags, expected):
    state = State(dataclasses.replace(FOUND, tags=tags))
    the_plan = plan(UNWANTED, state)
    assert [step.operation for step in the_plan.steps] == expected
    assert the_plan.after(state) == (State() if expected else state)
    assert not plan(UNWANTED, State())
