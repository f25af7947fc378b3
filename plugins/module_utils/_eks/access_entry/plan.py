# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired access entry. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.tag_steps import EKS, tag_steps
from ..._aws.tags import Tags
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan, Step
from .model import BY_CONFIG_MAP, OF_NODES, STANDARD, Desired, Entry, Policy, State
from .options import check_type


def plan(desired: Desired, state: State) -> Plan:
    """
    :raises Refused: for a different type, and, unless the options name the type, for removals from an entry that AWS creates.
    """
    entry = state.entry
    if not desired.present:
        if entry is None:
            return Plan()
        _require_named(desired, entry, "remove it")
        return Plan((_removal(desired, entry),))
    if entry is None:
        return _making(desired, state)
    _check(desired, entry)
    steps = [*_update(desired, entry), *_associations(desired, entry)]
    tagging = tag_steps(EKS, desired.resource, entry.arn, entry.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged)
    return Plan((*steps, *tagging))


def is_as_wanted(desired: Desired, entry: Entry | None) -> bool:
    """Whether the entry matches the options, except for its policies and tags."""
    return entry is not None and entry.type == (desired.type or STANDARD) and not _differences(desired, entry)


def _making(desired: Desired, state: State) -> Plan:
    if state.mode == BY_CONFIG_MAP:
        raise Refused(
            f"EKS cluster {desired.cluster} supports no access entries, because its authenticationMode is {BY_CONFIG_MAP}. Change "
            f"the mode, which cannot be undone: aws eks update-cluster-config --name {desired.cluster} --access-config "
            "authenticationMode=API_AND_CONFIG_MAP."
        )
    creation, made = _creation(desired)
    return Plan((creation, *_associations(desired, made)))


def _check(desired: Desired, entry: Entry) -> None:
    if desired.type not in (None, entry.type):
        why = f"{desired.resource} is of type {entry.type}, and EKS can't change that"
        refuse_option("type", desired.type, f"{entry.type}, or a different type after the removal of the entry", why)
    if entry.type in OF_NODES:
        given = {"kubernetes_groups": desired.groups, "username": desired.username, "access_policies": desired.policies}
        check_type(entry.type, given)


def _require_named(desired: Desired, entry: Entry, change: str) -> None:
    """Without an entry that AWS creates, nodes or a service lose access.

    :raises Refused: for such an entry, unless the options name its type.
    """
    if entry.of_a_service and desired.type != entry.type:
        why = f"{desired.resource} is of a kind that AWS creates for nodes and services, and this run would {change}"
        refuse_option("type", desired.type, f"{entry.type}, which confirms the change", why)


def _differences(desired: Desired, entry: Entry) -> tuple[Change, ...]:
    pairs: list[tuple[str, t.Any, t.Any]] = []
    if desired.groups is not None:
        pairs.append(("kubernetes_groups", list(entry.groups), list(desired.groups)))
    if desired.username is not None:
        pairs.append(("username", entry.username, desired.username))
    return tuple(Change("update", desired.resource, field, before, after) for field, before, after in pairs if before != after)


def _named(desired: Desired) -> dict[str, str]:
    return {"clusterName": desired.cluster, "principalArn": desired.principal}


def _creation(desired: Desired) -> tuple[Step, Entry]:
    optional = {
        "kubernetesGroups": list(desired.groups or ()),
        "username": desired.username,
        "type": desired.type,
        "tags": dict(desired.tags or {}),
    }
    made = Entry(
        arn=KNOWN_AFTER_APPLY,
        principal=desired.principal,
        type=desired.type or STANDARD,
        groups=desired.groups or (),
        username=desired.username or KNOWN_AFTER_APPLY,
        tags=dict(desired.tags or {}),
    )
    change = Change("create", desired.resource, after={"type": made.type, "kubernetes_groups": list(made.groups)})
    arguments = {**_named(desired), **{name: value for name, value in optional.items() if value}}
    return Step("CreateAccessEntry", arguments, (change,), _becomes(made)), made


def _update(desired: Desired, entry: Entry) -> t.Iterator[Step]:
    changes = _differences(desired, entry)
    if changes:
        after = {change.field: change.after for change in changes}
        names = {"kubernetes_groups": "kubernetesGroups", "username": "username"}
        arguments = {**_named(desired), **{names[str(field)]: value for field, value in after.items()}}
        groups, username = tuple(after.get("kubernetes_groups", entry.groups)), after.get("username", entry.username)
        yield Step("UpdateAccessEntry", arguments, changes, _with(groups=groups, username=username))


def _associations(desired: Desired, entry: Entry) -> t.Iterator[Step]:
    """Associate the desired policies first, so that no permission is lost in between, and then remove the others."""
    if desired.policies is None:
        return
    have = {policy.arn: policy for policy in entry.policies}
    for policy in desired.policies:
        before = have.get(policy.arn)
        if policy != before:
            have[policy.arn] = policy
            yield _association(desired, policy, before, tuple(sorted(have.values())))
    wanted = {policy.arn for policy in desired.policies}
    for arn in sorted(set(have) - wanted) if desired.purge_policies else ():
        _require_named(desired, entry, "remove an access policy")
        change = Change("delete", desired.resource, f"access_policies.{_short(arn)}", _scope(have.pop(arn)))
        arguments = {**_named(desired), "policyArn": arn}
        yield Step("DisassociateAccessPolicy", arguments, (change,), _with(policies=tuple(sorted(have.values()))))


def _association(desired: Desired, policy: Policy, before: Policy | None, after: tuple[Policy, ...]) -> Step:
    """Associate a policy. AWS replaces the scope of a policy that is already associated."""
    change = Change(
        "update" if before else "create",
        desired.resource,
        f"access_policies.{_short(policy.arn)}",
        _scope(before) if before else None,
        _scope(policy),
    )
    arguments = {**_named(desired), "policyArn": policy.arn, "accessScope": policy.scope}
    return Step("AssociateAccessPolicy", arguments, (change,), _with(policies=after))


def _short(arn: str) -> str:
    return arn.rpartition("/")[2]


def _scope(policy: Policy) -> str:
    return ", ".join(policy.namespaces) or "cluster"


def _removal(desired: Desired, entry: Entry) -> Step:
    change = Change("delete", desired.resource, before={"type": entry.type, "kubernetes_groups": list(entry.groups)})
    return Step("DeleteAccessEntry", _named(desired), (change,), _becomes(None))


def _becomes(entry: Entry | None) -> Effect:
    return lambda state: dataclasses.replace(state, entry=entry)


def _with(**values: t.Any) -> Effect:
    return lambda state: dataclasses.replace(state, entry=dataclasses.replace(state.entry, **values))


def _tagged(state: t.Any, tags: Tags) -> t.Any:
    return _with(tags=tags)(state)
