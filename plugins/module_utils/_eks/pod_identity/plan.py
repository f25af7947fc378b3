# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired association. No I/O."""

from __future__ import annotations

import dataclasses
import json
import typing as t

from ..._aws.tag_steps import EKS, tag_steps
from ..._aws.tags import Tags
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan, Step
from .model import Association, Desired, State

NAMES = {
    "role_arn": "roleArn",
    "target_role_arn": "targetRoleArn",
    "disable_session_tags": "disableSessionTags",
    "policy": "policy",
}
"""Options, with their names in the API."""


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a change of an association that an add-on owns, and for a new association without a role."""
    have = state.association
    steps: tuple[Step, ...]
    if not desired.present:
        steps = (_removal(desired, have),) if have is not None else ()
    elif have is None:
        steps = (_creation(desired),)
    else:
        tagging = tag_steps(EKS, desired.resource, have.arn, have.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged)
        steps = (*_update(desired, have), *tagging)
    if steps and have is not None and have.owner:
        addon = have.owner.split("/")[2] if have.owner.count("/") > 1 else have.owner
        raise Refused(
            f"{desired.about} belongs to add-on {addon}, and EKS changes it only with the add-on. "
            "Use pod_identity_associations of the module eks_addon."
        )
    return Plan(steps)


def is_as_wanted(desired: Desired, have: Association | None) -> bool:
    return have is not None and not _differences(desired, have)


def _differences(desired: Desired, have: Association) -> tuple[Change, ...]:
    wanted = (desired.role, desired.target, desired.without_session_tags, desired.policy)
    there = (have.role, have.target or None, have.without_session_tags, have.policy)
    return tuple(
        Change("update", desired.resource, option, before, after)
        for option, before, after in zip(NAMES, there, wanted)
        if after is not None and before != after
    )


def _creation(desired: Desired) -> Step:
    if desired.role is None:
        text = f"role_arn: missing; {desired.resource} does not exist, and a new association requires a role."
        raise Refused(text, option="role_arn")
    _refuse_policy_with_tags(desired.policy, bool(desired.without_session_tags))
    optional = {
        "targetRoleArn": desired.target,
        "disableSessionTags": desired.without_session_tags,
        "policy": _text(desired.policy),
        "tags": dict(desired.tags or {}),
    }
    arguments = {
        "clusterName": desired.cluster,
        "namespace": desired.namespace,
        "serviceAccount": desired.account,
        "roleArn": desired.role,
        **{name: value for name, value in optional.items() if value},
    }
    made = Association(
        id=KNOWN_AFTER_APPLY,
        arn=KNOWN_AFTER_APPLY,
        namespace=desired.namespace,
        account=desired.account,
        role=desired.role,
        target=desired.target or "",
        external_id=KNOWN_AFTER_APPLY if desired.target else "",
        without_session_tags=bool(desired.without_session_tags),
        policy=desired.policy or {},
        tags=dict(desired.tags or {}),
    )
    after = {"role_arn": desired.role, "target_role_arn": desired.target, "policy": desired.policy or None}
    return Step("CreatePodIdentityAssociation", arguments, (Change("create", desired.resource, after=after),), _becomes(made))


def _update(desired: Desired, have: Association) -> t.Iterator[Step]:
    changes = _differences(desired, have)
    if changes:
        after = {str(change.field): change.after for change in changes}
        named = {NAMES[name]: _text(value) if name == "policy" else value for name, value in after.items()}
        changed = dataclasses.replace(
            have,
            role=after.get("role_arn", have.role),
            target=after.get("target_role_arn", have.target),
            external_id=KNOWN_AFTER_APPLY if "target_role_arn" in after else have.external_id,
            without_session_tags=after.get("disable_session_tags", have.without_session_tags),
            policy=after.get("policy", have.policy),
        )
        _refuse_policy_with_tags(changed.policy, changed.without_session_tags)
        yield Step("UpdatePodIdentityAssociation", {**_of(desired, have), **named}, changes, _becomes(changed))


def _removal(desired: Desired, have: Association) -> Step:
    change = Change("delete", desired.resource, before={"role_arn": have.role, "target_role_arn": have.target or None})
    return Step("DeletePodIdentityAssociation", _of(desired, have), (change,), _becomes(None))


def _refuse_policy_with_tags(policy: t.Any, without_session_tags: bool) -> None:
    """AWS does not support a policy together with session tags. Source: API reference of CreatePodIdentityAssociation."""
    if policy and not without_session_tags:
        why = "AWS does not support session tags together with a policy"
        refuse_option("disable_session_tags", False, "true with a policy, or an empty policy", why)


def _text(policy: t.Mapping[str, t.Any] | None) -> str:
    return json.dumps(policy) if policy else ""


def _of(desired: Desired, have: Association) -> dict[str, str]:
    return {"clusterName": desired.cluster, "associationId": have.id}


def _becomes(association: Association | None) -> Effect:
    return lambda state: dataclasses.replace(state, association=association)


def _tagged(state: t.Any, tags: Tags) -> t.Any:
    return dataclasses.replace(state, association=dataclasses.replace(state.association, tags=tags))
