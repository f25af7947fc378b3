# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired rule. No I/O."""

from __future__ import annotations

import json
import typing as t

from ..._aws.tag_steps import EVENTS, tag_steps
from ..._aws.tags import Tags, api_tags
from ..._core.failure import Refused
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..identity import is_ours, left_alone, require_ours
from .model import ENABLED, TARGET_ID, Desired, Rule, State, Target


def plan(desired: Desired, state: State) -> Plan:
    """The rule is created before its target, and its targets are removed before the rule, as EventBridge requires.

    :raises Refused: for a rule that is not ours.
    """
    found = state.rule
    if not desired.present:
        return _plan_absent(desired, found)
    if found is None:
        found = _created(desired)
        first: tuple[Step, ...] = (_creation(desired, found),)
    else:
        _require_changeable(desired, found)
        first = (*_updates(desired, found), *_tagging(desired, found))
    return Plan((*first, *_target_steps(desired, found)), notes=tuple(_notes(desired, found)))


def _require_changeable(desired: Desired, found: Rule) -> None:
    if found.managed_by:
        raise Refused(f"{desired.resource} belongs to the AWS service {found.managed_by}. Choose a different name.")
    require_ours(desired.resource, found.tags, adopt=desired.adopt)


def _notes(desired: Desired, found: Rule) -> t.Iterator[str]:
    others = sorted(set(found.targets) - {TARGET_ID})
    if others:
        yield f"{desired.resource} has other targets, which stay unchanged: {', '.join(others)}."


def _created(desired: Desired) -> Rule:
    return Rule(
        arn=KNOWN_AFTER_APPLY, pattern=dict(desired.pattern), description=desired.description or "", tags=dict(desired.tags)
    )


def _creation(desired: Desired, created: Rule) -> Step:
    arguments = {**_request(desired, created.description), "Tags": api_tags(desired.tags)}
    summary = {"event_pattern": created.pattern, "description": created.description, "tags": dict(created.tags)}
    change = Change("create", desired.resource, after=summary)
    return Step("PutRule", arguments, (change,), lambda state: State(created))


def _updates(desired: Desired, found: Rule) -> t.Iterator[Step]:
    """One call for all settings. It sends the whole rule, because EventBridge replaces the rule and keeps only its tags."""
    description = found.description if desired.description is None else desired.description
    pairs = (
        ("event_pattern", found.pattern, dict(desired.pattern)),
        ("description", found.description, description),
        ("enabled", found.state == ENABLED, True),
        ("schedule_expression", found.schedule, ""),
    )
    changes = tuple(Change("update", desired.resource, field, before, after) for field, before, after in pairs if before != after)
    if changes:
        after = {"pattern": dict(desired.pattern), "description": description, "state": ENABLED, "schedule": ""}
        yield Step("PutRule", _request(desired, description), changes, lambda state: state.having(**after))


def _request(desired: Desired, description: str) -> dict[str, t.Any]:
    pattern = json.dumps(desired.pattern, sort_keys=True)
    return {"Name": desired.name, "EventPattern": pattern, "State": ENABLED, "Description": description}


def _tagging(desired: Desired, found: Rule) -> t.Iterator[Step]:
    return tag_steps(EVENTS, desired.resource, found.arn, found.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged)


def _tagged(state: State, tags: Tags) -> State:
    return state.having(tags=tags)


def _target_steps(desired: Desired, found: Rule) -> t.Iterator[Step]:
    before, after = found.target, desired.target
    if after is None or before == after:
        return
    targets = {**found.targets, TARGET_ID: after}
    arguments = {"Rule": desired.name, "Targets": [after.request]}
    yield Step("PutTargets", arguments, tuple(_target_changes(desired, before, after)), lambda state: state.having(targets=targets))


def _target_changes(desired: Desired, before: Target | None, after: Target) -> t.Iterator[Change]:
    if before is None:
        yield Change("create", desired.resource, "target", after=after.to_result())
        return
    old, new = before.to_result(), after.to_result()
    for name in new:
        if old[name] != new[name]:
            yield Change("update", desired.resource, f"target.{name}", old[name], new[name])
    if before.transformed_by:
        yield Change("update", desired.resource, "target.transformed_by", list(before.transformed_by), [])


def _plan_absent(desired: Desired, found: Rule | None) -> Plan:
    """Remove a rule with our tag, and all its targets, because EventBridge does not remove a rule that has targets."""
    if found is None:
        return Plan()
    if not is_ours(found.tags):
        return Plan(notes=(left_alone(desired.resource),))
    steps = [_target_removal(desired, found)] if found.targets else []
    change = Change("delete", desired.resource, before=found.pattern)
    return Plan((*steps, Step("DeleteRule", {"Name": desired.name}, (change,), lambda state: State())))


def _target_removal(desired: Desired, found: Rule) -> Step:
    names = {TARGET_ID: "target"}
    changes = tuple(
        Change("delete", desired.resource, names.get(name, f"target {name}"), before=target.arn)
        for name, target in sorted(found.targets.items())
    )
    arguments = {"Rule": desired.name, "Ids": sorted(found.targets)}
    return Step("RemoveTargets", arguments, changes, lambda state: state.having(targets={}))
