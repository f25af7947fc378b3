# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired cluster. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.tag_steps import EKS, tag_steps
from ..._aws.tags import Tags
from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan, Step
from . import fields
from .model import ACTIVE, DELETING, Cluster, Desired, State
from .options import check_creation
from .refusals import check_changes, check_identity, check_removal, check_supported
from .versions import IN_EXTENDED, OUT_OF_SUPPORT, check_new, default_of, errors, find, insight_notes

UPDATES = ("UpdateClusterConfig", "UpdateClusterVersion", "AssociateEncryptionConfig")
"""Operations that start an update. EKS runs one at a time."""


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a change that EKS would refuse, that locks users out, or that this module does not support."""
    cluster = state.cluster
    if cluster is not None:
        check_identity(desired, cluster)
    if cluster is not None and cluster.status == DELETING:
        cluster = None  # it is created again after the deletion
    if not desired.present:
        return _removal(desired, state, cluster) if cluster is not None else Plan()
    if cluster is None:
        return _creation(desired, state)
    steps = [*_upgrade(desired, state, cluster), *_updates(desired, cluster)]
    tagging = [
        *tag_steps(EKS, desired.resource, cluster.arn, cluster.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged)
    ]
    check_supported(desired, cluster, [*steps, *tagging])
    if not cluster.unsupported:
        check_changes(desired, state, cluster)
    now, later = _without_wait(desired, steps)
    made = Plan((*now, *tagging))
    after = made.after(state)
    return dataclasses.replace(made, notes=(*_notes(desired, state, cluster, after), *_left_notes(desired, later)))


def left(desired: Desired, cluster: Cluster) -> list[str]:
    """The options that differ, with those that EKS cannot change."""
    names = [field.option for field in fields.different(cluster.settings, fields.of_new(desired.settings))]
    if desired.version not in (None, cluster.version):
        names.append("version")
    if any(cluster.tags.get(key) != value for key, value in (desired.tags or {}).items()):
        names.append("tags")
    return names


def _creation(desired: Desired, state: State) -> Plan:
    check_creation(desired)
    want = fields.of_new(desired.settings)
    if desired.version is not None:
        check_new(desired.version, state.versions)
        if find(state.versions, desired.version).support == IN_EXTENDED and want[fields.SUPPORT.option] != fields.EXTENDED:
            why = "it is in extended support, which costs more"
            refuse_option("version", desired.version, f"a version in standard support, or support_type={fields.EXTENDED}", why)
    sent = [field for field in fields.TABLE if want.get(field.option) not in (None, ())]
    named = {"version": desired.version} if desired.version is not None else {}
    tags = {"tags": dict(desired.tags)} if desired.tags else {}
    arguments = {"name": desired.name, **named, **fields.request(sent, want), **tags}
    default = default_of(state.versions)
    version = desired.version or (default.name if default else KNOWN_AFTER_APPLY)
    by_default = {fields.PUBLIC.option: True, fields.PRIVATE.option: False, fields.CIDR_OF_SERVICES.option: KNOWN_AFTER_APPLY}
    made = Cluster(
        arn=KNOWN_AFTER_APPLY,
        status=ACTIVE,
        version=version,
        settings={**{field.option: field.absent for field in fields.TABLE}, **by_default, **want},
        tags=dict(desired.tags or {}),
        endpoint=KNOWN_AFTER_APPLY,
        authority=KNOWN_AFTER_APPLY,
        vpc_id=KNOWN_AFTER_APPLY,
        security_group=KNOWN_AFTER_APPLY,
    )
    change = Change("create", desired.resource, after={"version": version, **{field.option: want[field.option] for field in sent}})
    return Plan((Step("CreateCluster", arguments, (change,), _becomes(made)),))


def _upgrade(desired: Desired, state: State, cluster: Cluster) -> t.Iterator[Step]:
    """EKS refuses an upgrade despite errors of insights without ``force``, so it is sent for those that the user accepted."""
    wanted = desired.version
    if wanted is None or wanted == cluster.version:
        return
    force = {"force": True} if errors(state.insights, wanted) else {}
    change = Change("update", desired.resource, "version", cluster.version, wanted)
    yield Step("UpdateClusterVersion", {"name": desired.name, "version": wanted, **force}, (change,), _changes(version=wanted))


def _updates(desired: Desired, cluster: Cluster) -> t.Iterator[Step]:
    """One call for each kind of change."""
    differing = fields.different(cluster.settings, desired.settings)
    for kind in fields.KINDS:
        changed = tuple(field for field in differing if field.kind == kind)
        if changed:
            yield _update(desired, cluster, changed)


def _update(desired: Desired, cluster: Cluster, changed: tuple[fields.Field, ...]) -> Step:
    want = {field.option: desired.settings[field.option] for field in changed}
    after = {**cluster.settings, **want}
    if after[fields.PUBLIC.option] is False:
        after[fields.CIDRS.option] = ()
    kind, cluster_name = changed[0].kind, "name"
    sent = [field for field in fields.TABLE if field in changed or (field.kind == kind and _is_sent_along(field, after))]
    if kind == fields.ENCRYPTION:
        operation, cluster_name = "AssociateEncryptionConfig", "clusterName"
    else:
        operation = "UpdateClusterConfig"
    pairs = ((field.option, cluster.settings.get(field.option), want[field.option]) for field in changed)
    changes = tuple(Change("update", desired.resource, option, before, value) for option, before, value in pairs)
    effect = _changes(settings={field.option: after[field.option] for field in fields.TABLE if field.kind == kind})
    return Step(operation, {cluster_name: desired.name, **fields.request(sent, after)}, changes, effect)


def _is_sent_along(field: fields.Field, after: fields.Values) -> bool:
    """Whether an unchanged setting is sent with a change of the same kind: EKS may reset subnets and groups that are left out."""
    if field.kind == fields.NETWORK:
        return bool(after[field.option])
    return field in (fields.PUBLIC, fields.PRIVATE) and after[field.option] is not None


def _removal(desired: Desired, state: State, cluster: Cluster) -> Plan:
    change = Change("delete", desired.resource, before={"version": cluster.version})
    deletion = Step("DeleteCluster", {"name": desired.name}, (change,), _becomes(None))
    check_supported(desired, cluster, (deletion,))
    check_removal(desired, state, cluster)
    steps = [_update(desired, cluster, (fields.PROTECTION,))] if cluster.settings[fields.PROTECTION.option] else []
    now, later = _without_wait(desired, [*steps, deletion])
    return Plan(tuple(now), notes=tuple(_left_notes(desired, later)))


def _without_wait(desired: Desired, steps: t.Sequence[Step]) -> tuple[list[Step], list[Step]]:
    """The steps of this run and of later runs. EKS runs one update at a time, so a run that does not wait starts only one."""
    several = [*steps] if desired.wait or not steps or steps[0].operation not in UPDATES else [*steps[:1]]
    return several, [*steps[len(several) :]]


def _left_notes(desired: Desired, later: t.Iterable[Step]) -> t.Iterator[str]:
    names = [change.field or change.action for step in later for change in step.changes]
    if names:
        yield f"{desired.resource}: EKS runs one update at a time. Without wait, later runs change {', '.join(names)}."


def _notes(desired: Desired, state: State, cluster: Cluster, after: State) -> t.Iterator[str]:
    resource, wanted, then = desired.resource, desired.version, t.cast(Cluster, after.cluster)
    if wanted is not None and wanted != cluster.version:
        yield from insight_notes(resource, wanted, state.insights)
    if then.is_open:
        yield f"Every address of the internet can reach the API server of {resource}. Set public_access_cidrs to restrict it."
    version = find(state.versions, then.version)
    if version.support == IN_EXTENDED:
        until = f" until {version.extended_ends}" if version.extended_ends else ""
        yield f"{resource} runs Kubernetes {version.name}, which is in extended support{until} and costs more."
    if version.support == OUT_OF_SUPPORT:
        yield f"{resource} runs Kubernetes {version.name}, which EKS no longer supports. EKS may upgrade it at any time."
    if cluster.issues:
        yield f"{resource} is {cluster.described}: {cluster.way}."


def _becomes(cluster: Cluster | None) -> Effect:
    return lambda state: dataclasses.replace(state, cluster=cluster)


def _changes(version: str | None = None, settings: fields.Values | None = None) -> Effect:
    def effect(state: State) -> State:
        have = t.cast(Cluster, state.cluster)
        known = {**have.settings, **(settings or {})}
        return dataclasses.replace(
            state, cluster=dataclasses.replace(have, status=ACTIVE, version=version or have.version, settings=known)
        )

    return effect


def _tagged(state: t.Any, tags: Tags) -> t.Any:
    return dataclasses.replace(state, cluster=dataclasses.replace(state.cluster, tags=tags))
