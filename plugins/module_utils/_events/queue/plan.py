# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired queue. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.tag_steps import SQS, tag_steps
from ..._aws.tags import Tags
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..identity import is_ours, left_alone, require_ours
from .model import DEFAULT_RETENTION, DEFAULT_WAIT, KMS_KEY, NO_KEY, Desired, Queue, Settings, State, same_policy


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a queue that is not ours."""
    found = state.queue
    if not desired.present:
        return _plan_absent(desired, found)
    if found is None:
        return Plan((_creation(desired),))
    require_ours(desired.resource, found.tags, adopt=desired.adopt)
    return Plan((*_updates(desired, found), *_tagging(desired, found)), notes=tuple(_notes(desired, found)))


def different(want: Settings, have: Settings) -> Settings:
    """The desired settings that the queue does not have. The others are None."""
    return Settings(
        policy=None if want.policy is None or same_policy(want.policy, have.policy) else want.policy,
        redrive=None if want.redrive == have.redrive else want.redrive,
        retention=None if want.retention == have.retention else want.retention,
        receive_wait=None if want.receive_wait == have.receive_wait else want.receive_wait,
        encryption=want.encryption if have.encryption == NO_KEY else have.encryption,
    )


def is_as_wanted(desired: Desired, queue: Queue | None) -> bool:
    """Whether the queue has all desired settings. Its tags are not compared."""
    return queue is not None and not _request(desired, queue)


def _notes(desired: Desired, found: Queue) -> t.Iterator[str]:
    if found.settings.encryption == KMS_KEY:
        yield (
            f"{desired.resource} is encrypted with a KMS key, which stays. EventBridge delivers no events unless the policy of the "
            "key allows events.amazonaws.com to use it."
        )


def _creation(desired: Desired) -> Step:
    given = desired.settings
    settings = dataclasses.replace(
        given,
        policy=given.policy or {},
        retention=DEFAULT_RETENTION if given.retention is None else given.retention,
        receive_wait=DEFAULT_WAIT if given.receive_wait is None else given.receive_wait,
    )
    made = Queue(KNOWN_AFTER_APPLY, settings=settings, tags=dict(desired.tags))
    change = Change("create", desired.resource, after={**settings.to_result(), "tags": dict(desired.tags)})
    arguments = {"QueueName": desired.name, "Attributes": given.attributes(), "tags": dict(desired.tags)}
    return Step("CreateQueue", arguments, (change,), lambda state: State(made))


def _request(desired: Desired, found: Queue) -> dict[str, str]:
    """The attributes to set."""
    attributes = different(desired.settings, found.settings).attributes()
    if found.settings.encryption != NO_KEY:
        del attributes["SqsManagedSseEnabled"]
    return attributes


def _updates(desired: Desired, found: Queue) -> t.Iterator[Step]:
    """One call for all settings that differ."""
    attributes = _request(desired, found)
    if not attributes:
        return
    after = _merged(found.settings, different(desired.settings, found.settings))
    old, new = found.settings.to_result(), after.to_result()
    changes = tuple(Change("update", desired.resource, name, old[name], new[name]) for name in new if old[name] != new[name])
    arguments = {"QueueUrl": found.url, "Attributes": attributes}
    yield Step("SetQueueAttributes", arguments, changes, lambda state: state.having(settings=after))


def _merged(have: Settings, want: Settings) -> Settings:
    given = {field.name: getattr(want, field.name) for field in dataclasses.fields(want)}
    return dataclasses.replace(have, **{name: value for name, value in given.items() if value is not None})


def _tagging(desired: Desired, found: Queue) -> t.Iterator[Step]:
    return tag_steps(SQS, desired.resource, found.url, found.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged)


def _tagged(state: State, tags: Tags) -> State:
    return state.having(tags=tags)


def _plan_absent(desired: Desired, found: Queue | None) -> Plan:
    """Remove only a queue with our tag, because its messages are removed with it."""
    if found is None:
        return Plan()
    if not is_ours(found.tags):
        return Plan(notes=(left_alone(desired.resource),))
    change = Change("delete", desired.resource, before=found.arn)
    return Plan((Step("DeleteQueue", {"QueueUrl": found.url}, (change,), lambda state: State()),))
