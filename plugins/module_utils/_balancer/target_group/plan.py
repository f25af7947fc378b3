# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired target group. No I/O."""

from __future__ import annotations

from ..._aws.tag_steps import BALANCING, tag_steps
from ..._aws.tags import Tags, api_tags, owned, require_owned
from ..._core import fields
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from .. import attributes
from .model import ATTRIBUTES, HEALTH_CHECK, PROPERTIES, Desired, State, TargetGroup


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a change that AWS does not support, and for conflicting settings."""
    return _plan_present(desired, state) if desired.present else _plan_absent(desired, state.target_group)


def _plan_present(desired: Desired, state: State) -> Plan:
    found = state.target_group
    if found is None:
        found = _created(desired)
        first: tuple[Step, ...] = (_creation(desired, found),)
    else:
        require_owned(desired.resource, found.tags, cluster_arn=desired.cluster_arn, adopt=desired.adopt)
        fields.refuse_immutable(desired.resource, found.properties, desired.properties)
        first = _updates(desired, found)
    plan = Plan((*first, *_attribute_steps(desired, found)))
    _refuse_combination(plan.after(state).target_group)
    return plan


def _plan_absent(desired: Desired, found: TargetGroup | None) -> Plan:
    """Only a target group with our owner tag is deleted."""
    if found is None:
        return Plan()
    if not owned(found.tags, desired.cluster_arn):
        return Plan(notes=(f"{desired.resource} does not belong to this cluster and was not changed.",))
    change = Change("delete", desired.resource, before=found.arn)
    return Plan((Step("DeleteTargetGroup", {"TargetGroupArn": found.arn}, (change,), lambda state: State()),))


def _created(desired: Desired) -> TargetGroup:
    """The new target group with AWS's defaults for its attributes, because a second call sets the desired values."""
    for option in ("port", "vpc_id"):
        if option not in desired.properties:
            text = f"{option}: missing; {desired.resource} does not exist, and a new target group requires this option."
            raise Refused(text, option=option)
    return TargetGroup(
        arn=KNOWN_AFTER_APPLY,
        name=desired.name,
        properties={**fields.defaults(PROPERTIES), **desired.properties},
        health_check={**fields.defaults(HEALTH_CHECK), **desired.health_check},
        attributes=fields.defaults(ATTRIBUTES),
        tags=dict(desired.tags or {}),
    )


def _creation(desired: Desired, created: TargetGroup) -> Step:
    arguments = {
        "Name": desired.name,
        **fields.creation(PROPERTIES, created.properties),
        **fields.creation(HEALTH_CHECK, created.health_check),
    }
    if desired.tags:
        arguments["Tags"] = api_tags(desired.tags)
    summary = {**created.properties, "health_check": dict(created.health_check), "tags": dict(created.tags)}
    changes = (Change("create", desired.resource, after=summary),)
    return Step("CreateTargetGroup", arguments, changes, lambda state: State(created))


def _updates(desired: Desired, found: TargetGroup) -> tuple[Step, ...]:
    tags = tag_steps(BALANCING, desired.resource, found.arn, found.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged)
    return (*_health_check_steps(desired, found), *tags)


def _tagged(state: State, tags: Tags) -> State:
    return state.having(tags=tags)


def _health_check_steps(desired: Desired, found: TargetGroup) -> tuple[Step, ...]:
    """One call for all settings that differ."""
    have, want = found.health_check, desired.health_check
    differing = fields.different(HEALTH_CHECK, have, want)
    if not differing:
        return ()
    arguments = {"TargetGroupArn": found.arn, **fields.modification(differing, want)}
    changes = fields.changes(desired.resource, differing, have, want, within="health_check")
    after = {**have, **want}
    return (Step("ModifyTargetGroup", arguments, changes, lambda state: state.having(health_check=after)),)


def _attribute_steps(desired: Desired, found: TargetGroup) -> tuple[Step, ...]:
    """One call for all attributes that differ."""
    have, want = found.attributes, desired.attributes
    differing = fields.different(ATTRIBUTES, have, want)
    if not differing:
        return ()
    arguments = {"TargetGroupArn": found.arn, "Attributes": attributes.request(differing, want)}
    changes = fields.changes(desired.resource, differing, have, want)
    after = {**have, **want}
    return (Step("ModifyTargetGroupAttributes", arguments, changes, lambda state: state.having(attributes=after)),)


def _refuse_combination(after: TargetGroup) -> None:
    """Refuse a combination that AWS would refuse only after some of the changes were made."""
    check = after.health_check
    if check.get("timeout", 0) > check.get("interval", 300):
        refuse_option("health_check.timeout", check["timeout"], f"at most the interval, {check['interval']}")
    set_to = after.attributes
    if set_to.get("unhealthy_draining_interval") and set_to.get("unhealthy_connection_termination"):
        refuse_option(
            "attributes.unhealthy_draining_interval",
            set_to["unhealthy_draining_interval"],
            "0, or unhealthy_connection_termination=false",
            "unhealthy_connection_termination is true",
        )
