# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""From the observed to the wanted target group: pure, no I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.tags import api_tags
from ..._core.failure import Refused
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from .. import fields, model
from ..tags import tag_steps, tags_after
from .model import ATTRIBUTES, HEALTH_CHECK, PROPERTIES, Desired, TargetGroup


def plan_present(desired: Desired, found: TargetGroup | None) -> Plan:
    """:raises Refused: for what AWS cannot change, and for settings that exclude each other."""
    steps: list[Step] = []
    if found is None:
        found = _created(desired)
        steps.append(_create_step(desired, found))
    else:
        model.require_owned(desired.resource, found.tags, cluster_arn=desired.cluster_arn, adopt=desired.adopt)
        fields.refuse_immutable(desired.resource, found.properties, desired.properties)
        steps.extend(_health_check_steps(desired, found))
        steps.extend(tag_steps(desired.resource, found.arn, found.tags, desired.tags, purge=desired.purge_tags))
    differing = fields.different(found.attributes, desired.attributes)
    if differing:
        arguments = {"TargetGroupArn": found.arn, "Attributes": fields.as_attributes(ATTRIBUTES, differing)}
        changes = fields.changes(desired.resource, found.attributes, differing)
        steps.append(Step("ModifyTargetGroupAttributes", arguments, changes))
    predicted = dataclasses.replace(
        found,
        health_check={**found.health_check, **desired.health_check},
        attributes={**found.attributes, **desired.attributes},
        tags=tags_after(found.tags, desired.tags, purge=desired.purge_tags),
    )
    _refuse_combination(predicted)
    return Plan(tuple(steps), predicted)


def plan_absent(desired: Desired, found: TargetGroup | None) -> Plan:
    """Only what carries the owner's tag."""
    if found is None:
        return Plan()
    if not model.owned(found.tags, desired.cluster_arn):
        return Plan(predicted=found, notes=(f"{desired.resource} is not ours and was left alone.",))
    change = Change("delete", desired.resource, before=found.arn)
    return Plan((Step("DeleteTargetGroup", {"TargetGroupArn": found.arn}, (change,)),))


def _created(desired: Desired) -> TargetGroup:
    return TargetGroup(
        arn=KNOWN_AFTER_APPLY,
        name=desired.name,
        properties={**_defaults(PROPERTIES), **desired.properties},
        health_check={**_defaults(HEALTH_CHECK), **desired.health_check},
        attributes=_defaults(ATTRIBUTES),
        tags=dict(desired.tags or {}),
    )


def _defaults(table: fields.Table) -> dict[str, t.Any]:
    return {each.option: each.default for each in table if each.default is not None}


def _create_step(desired: Desired, created: TargetGroup) -> Step:
    for option in ("port", "vpc_id"):
        if option not in desired.properties:
            raise Refused(f"{option}: {desired.resource} does not exist yet and cannot be created without.")
    arguments = {
        "Name": desired.name,
        **fields.as_parameters(PROPERTIES, created.properties),
        **fields.as_parameters(HEALTH_CHECK, created.health_check),
    }
    if desired.tags:
        arguments["Tags"] = api_tags(desired.tags)
    summary = {**created.properties, "health_check": dict(created.health_check), "tags": dict(created.tags)}
    return Step("CreateTargetGroup", arguments, (Change("create", desired.resource, after=summary),))


def _health_check_steps(desired: Desired, found: TargetGroup) -> tuple[Step, ...]:
    differing = fields.different(found.health_check, desired.health_check)
    if not differing:
        return ()
    arguments = {"TargetGroupArn": found.arn, **fields.as_parameters(HEALTH_CHECK, differing)}
    changes = tuple(
        Change("update", desired.resource, f"health_check.{option}", found.health_check.get(option), value)
        for option, value in differing.items()
    )
    return (Step("ModifyTargetGroup", arguments, changes),)


def _refuse_combination(predicted: TargetGroup) -> None:
    """What AWS would refuse only after the first half of the changes was made."""
    check = predicted.health_check
    if check.get("timeout", 0) > check.get("interval", 300):
        raise Refused(
            f"health_check.timeout: {check['timeout']} is not allowed; it must not be more than the interval, "
            f"{check['interval']}."
        )
    attributes = predicted.attributes
    if attributes.get("unhealthy_draining_interval") and attributes.get("unhealthy_connection_termination"):
        raise Refused(
            f"attributes.unhealthy_draining_interval: {attributes['unhealthy_draining_interval']} is not allowed "
            "together with unhealthy_connection_termination; it must be 0, or the termination off."
        )
