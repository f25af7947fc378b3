# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the actual to the desired scheduler configuration or compute quota. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.client import refuse_old_botocore
from ..._aws.tag_steps import SAGEMAKER, tag_steps
from ..._aws.tags import Tags, api_tags
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..._core.settings import Table, Values, changes, merged, require
from ..statuses import CREATED, DELETING, RETRIED, UPDATED
from .fields import BORROWING, LIMITS, QUOTA, Kind, completed
from .guarantees import refuse_excess
from .model import HOPELESS, Desired, Found, State
from .options import check_limits


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a different name, a failed resource that AWS cannot change, and guarantees that exceed the cluster."""
    found = state.found
    _refuse_others(desired, state)
    if not desired.present:
        return Plan((_removal(desired, found),) if found is not None and found.status != DELETING else ())
    if found is None or found.status == DELETING:
        return Plan((_creation(desired, state, desired.settings, desired.tags),))
    if found.status in HOPELESS:
        return _recreation(desired, state, found)
    return Plan((*_update(desired, state, found), *_tags(desired, found)))


def left(desired: Desired, found: Found) -> tuple[Change, ...]:
    """The settings that must still change."""
    return changes(desired.resource, desired.kind.table, found.settings, _wanted(desired, found.settings))


def _refuse_others(desired: Desired, state: State) -> None:
    found = state.found
    if found is not None and found.name != desired.name:
        whose = f"team {desired.team} has" if desired.team else "the cluster can have only one, and has"
        why = f"{whose} {desired.kind.noun} {found.name}, which AWS cannot rename"
        refuse_option("name", desired.name, f"{found.name}, or a different name after the removal of {found.name}", why)
    same = next((other for other in state.others if other.name == desired.name), None)
    if same is not None:
        refuse_option("name", desired.name, "a different name", f"the {desired.kind.noun} of team {same.team} has this name")


def _recreation(desired: Desired, state: State, found: Found) -> Plan:
    if not desired.recreate:
        raise Refused(
            f"{desired.resource} is {found.described}, and AWS cannot change it in this status. Set recreate: true to delete and"
            " recreate it.",
            option="recreate",
        )
    kept = {key: value for key, value in (found.tags or {}).items() if not key.startswith("aws:")}
    tags = kept if desired.tags is None else {**({} if desired.purge_tags else kept), **desired.tags}
    settings, known = _wanted(desired, found.settings), tags.keys() <= (desired.tags or {}).keys()
    lost = [*undeclared(desired.kind, settings, desired.settings), *([] if known else ["tags"])]
    if lost:
        raise Refused(
            f"{desired.resource} is {found.described}, and recreate: true deletes it first. Also declare its other settings"
            f" ({', '.join(lost)}), so that an interrupted run does not lose them.",
            option="recreate",
        )
    return Plan((_removal(desired, found), _creation(desired, state, settings, tags)))


def _creation(desired: Desired, state: State, settings: Values, tags: Tags | None) -> Step:
    kind, everything = desired.kind, [setting.option for setting in desired.kind.table]
    require(kind.table, settings, within="", what=f"a new {kind.noun}")
    _refuse_oversubscription(desired, state, {}, settings)
    arguments = {
        "Name": desired.name,
        "ClusterArn": desired.cluster_arn,
        **kind.request(settings, differing=everything),
        **({"Tags": api_tags(tags)} if tags else {}),
    }
    made = Found(
        id=KNOWN_AFTER_APPLY,
        arn=KNOWN_AFTER_APPLY,
        name=desired.name,
        status=CREATED,
        version=1,
        team=desired.team,
        settings=completed(kind, settings),
        tags=desired.tags,
    )
    change = Change("create", desired.resource, after={**settings, **({"tags": dict(tags)} if tags else {})})
    return Step(kind.create, arguments, (change,), lambda state: dataclasses.replace(state, found=made))


def _update(desired: Desired, state: State, found: Found) -> t.Iterator[Step]:
    """At most one call. After a failed update, the call contains all settings again."""
    kind, after = desired.kind, _wanted(desired, found.settings)
    differences = left(desired, found)
    differing = [setting.option for setting in kind.table if found.settings.get(setting.option) != after.get(setting.option)]
    if not differences and found.status == RETRIED:
        differences = (Change("update", desired.resource, "status", found.status, UPDATED),)
        differing = [setting.option for setting in kind.table]
    if not differences:
        return
    _refuse_oversubscription(desired, state, found.settings, after)
    sent = kind.request(after, differing=differing)
    for path in state.dropped:
        if path.partition(".")[0] in sent:
            refuse_old_botocore(f"{kind.update}.{path}", so=f"a change of {desired.resource} would remove this setting")
    arguments = {kind.id: found.id, "TargetVersion": found.version, **sent}
    version, settings = found.version + 1, completed(kind, after)
    yield Step(
        kind.update,
        arguments,
        differences,
        lambda state: state.having(status=UPDATED, version=version, settings=settings, failure=""),
    )


def _tags(desired: Desired, found: Found) -> t.Iterator[Step]:
    have = found.tags or {}
    yield from tag_steps(
        SAGEMAKER, desired.resource, found.arn, have, desired.tags, purge=desired.purge_tags, tagged=_tagged
    )


def _tagged(state: State, tags: Tags) -> State:
    return state.having(tags=tags)


def _removal(desired: Desired, found: Found) -> Step:
    change = Change("delete", desired.resource, before={"status": found.status, **found.settings})
    arguments = {desired.kind.id: found.id}
    return Step(desired.kind.delete, arguments, (change,), lambda state: dataclasses.replace(state, found=None))


def _wanted(desired: Desired, have: Values) -> dict[str, t.Any]:
    return settings_then(desired.kind, have, desired.settings)


def settings_then(kind: Kind, have: Values, want: Values) -> dict[str, t.Any]:
    """The settings after the change. A team that no longer borrows loses its limits.

    :raises Refused: for limits of a team that does not borrow.
    """
    after = merged(kind.table, have, want)
    sharing = after.get("resource_sharing_config")
    if sharing and sharing.get("strategy") != BORROWING:
        check_limits(sharing, want.get("resource_sharing_config") or {})
        after["resource_sharing_config"] = {name: value for name, value in sharing.items() if name not in LIMITS}
    return after


def undeclared(kind: Kind, then: Values, declared: Values) -> list[str]:
    """Paths of settings that would be lost if the resource were created from ``declared`` and AWS's documented defaults.

    Amounts that AWS adds to an entry count as declared.
    """
    return list(_undeclared(kind.table, then, declared, completed(kind, declared), ""))


def _undeclared(table: Table, then: Values, declared: Values, made: Values, within: str) -> t.Iterator[str]:
    for setting in table:
        value, name = then.get(setting.option), setting.option
        if name in declared and setting.type == "dict":
            yield from _undeclared(setting.parts, value or {}, declared[name], made[name], f"{within}{name}.")
        elif name not in declared and value not in (None, "", [], made.get(name)):
            yield f"{within}{name}"


def _refuse_oversubscription(desired: Desired, state: State, before: Values, after: Values) -> None:
    if desired.kind is QUOTA and not desired.allow_oversubscription:
        refuse_excess(state.capacity, state.others, before, after)
