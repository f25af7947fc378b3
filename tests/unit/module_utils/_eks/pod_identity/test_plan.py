# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps for a pod identity association."""

from __future__ import annotations

import dataclasses
import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Change
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.model import Association, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.plan import is_as_wanted, plan

THERE = Association("a-1", "arn", "research", "train", "role", tags={"a": "b"})
OWNED = dataclasses.replace(THERE, owner="arn:aws:eks:us-west-2:111111111111:addon/pods/vpc-cni/1")


def wanted(**more: t.Any) -> Desired:
    return Desired("pods", "research", "train", **more)


def test_an_association_as_declared_needs_no_change():
    for desired in (wanted(), wanted(role="role", without_session_tags=False, tags={"a": "b"})):
        assert not plan(desired, State(THERE)) and not plan(desired, State(OWNED))
    assert not plan(wanted(present=False), State())


def test_only_differences_are_sent():
    (step,) = plan(wanted(role="role", target="other", without_session_tags=True), State(THERE)).steps
    assert step.arguments == {"clusterName": "pods", "associationId": "a-1", "targetRoleArn": "other", "disableSessionTags": True}
    after = step.effect(State(THERE)).association
    assert (after.role, after.target, after.external_id, after.without_session_tags) == ("role", "other", KNOWN_AFTER_APPLY, True)


def test_a_new_association_sends_its_settings_and_requires_a_role():
    (step,) = plan(wanted(role="role", without_session_tags=False, tags={"a": "b"}), State()).steps
    named = {"clusterName": "pods", "namespace": "research", "serviceAccount": "train", "roleArn": "role"}
    assert step.arguments == {**named, "tags": {"a": "b"}} and step.effect(State()).association.external_id == ""
    with pytest.raises(Refused, match="role_arn: missing; pod identity association research/train does not exist, and a new association") as refused:
        plan(wanted(), State())
    assert refused.value.option == "role_arn"


RESOURCE = "pod identity association research/train"
SETTINGS: dict[str, tuple[t.Any, t.Any, str, t.Any]] = {
    "role": ("new", "role", "roleArn", "new"),
    "target": ("other", None, "targetRoleArn", "other"),
    "without_session_tags": (True, False, "disableSessionTags", True),
}
"""A setting's value, its value in ``THERE``, and the API parameter with the value that is sent."""
OPTIONS = {"role": "role_arn", "target": "target_role_arn", "without_session_tags": "disable_session_tags"}


@pytest.mark.parametrize("setting", SETTINGS)
def test_each_setting_is_sent(setting: str) -> None:
    value, before, parameter, sent = SETTINGS[setting]
    (update,) = plan(wanted(**{setting: value}), State(THERE)).steps
    assert update.operation == "UpdatePodIdentityAssociation"
    assert update.arguments == {"clusterName": "pods", "associationId": "a-1", parameter: sent}
    assert update.changes == (Change("update", RESOURCE, OPTIONS[setting], before, value),)
    assert getattr(update.effect(State(THERE)).association, setting) == value
    (create,) = plan(wanted(**{"role": "role", setting: value}), State()).steps
    assert create.arguments[parameter] == sent


def test_requests_contain_every_setting() -> None:
    policy = {"Version": "2012-10-17"}
    given = {"role": "new", "target": "other", "without_session_tags": True, "policy": policy}
    sent = {"roleArn": "new", "targetRoleArn": "other", "disableSessionTags": True, "policy": json.dumps(policy)}
    (create,) = plan(wanted(**given, tags={"a": "b"}), State()).steps
    named = {"clusterName": "pods", "namespace": "research", "serviceAccount": "train"}
    assert (create.operation, create.arguments) == ("CreatePodIdentityAssociation", {**named, **sent, "tags": {"a": "b"}})
    after = {"role_arn": "new", "target_role_arn": "other", "policy": policy}
    assert create.changes == (Change("create", RESOURCE, after=after),)
    made = create.effect(State()).association
    assert (made.namespace, made.account, made.target, made.external_id) == ("research", "train", "other", KNOWN_AFTER_APPLY)
    (update,) = plan(wanted(**given), State(THERE)).steps
    assert (update.operation, update.arguments) == (
        "UpdatePodIdentityAssociation",
        {"clusterName": "pods", "associationId": "a-1", **sent},
    )
    (delete,) = plan(wanted(present=False), State(THERE)).steps
    assert (delete.operation, delete.arguments) == (
        "DeletePodIdentityAssociation",
        {"clusterName": "pods", "associationId": "a-1"},
    )
    before = {"role_arn": "role", "target_role_arn": None}
    assert delete.changes == (Change("delete", RESOURCE, before=before),) and delete.effect(State(THERE)).association is None


@pytest.mark.parametrize("more", [{"role": "new"}, {"present": False}, {"tags": {}}])
def test_the_association_of_an_add_on_is_refused(more):
    assert plan(wanted(**more), State(THERE))
    with pytest.raises(Refused, match="belongs to add-on vpc-cni, and EKS changes it only with the add-on. Use pod_identity_associations"):
        plan(wanted(**more), State(OWNED))


def test_a_creation_is_ours_if_the_result_is_as_wanted():
    assert is_as_wanted(wanted(role="role"), THERE)
    assert not is_as_wanted(wanted(role="new"), THERE) and not is_as_wanted(wanted(role="role"), None)


POLICY = {"Version": "2012-10-17", "Statement": []}
RESTRICTED = dataclasses.replace(THERE, policy=POLICY, without_session_tags=True)


def test_a_policy_is_compared_and_sent():
    (step,) = plan(wanted(role="role", without_session_tags=True, policy=POLICY), State()).steps
    assert json.loads(step.arguments["policy"]) == POLICY and step.effect(State()).association.policy == POLICY
    assert not plan(wanted(policy=POLICY), State(RESTRICTED)) and not plan(wanted(), State(RESTRICTED))
    assert not plan(wanted(policy={}), State(THERE))
    (step,) = plan(wanted(policy={}, without_session_tags=False), State(RESTRICTED)).steps
    assert (step.arguments["policy"], step.arguments["disableSessionTags"]) == ("", False)
    assert step.effect(State(RESTRICTED)).association.policy == {}
    (step,) = plan(wanted(policy={**POLICY, "Id": "a"}), State(RESTRICTED)).steps
    assert step.arguments.keys() == {"clusterName", "associationId", "policy"}


@pytest.mark.parametrize(
    ("more", "there"),
    [
        ({"role": "role", "policy": POLICY}, None),
        ({"policy": POLICY}, THERE),
        ({"policy": POLICY, "without_session_tags": False}, RESTRICTED),
        ({"without_session_tags": False}, RESTRICTED),
    ],
)
def test_a_policy_with_session_tags_is_refused(more, there):
    message = "disable_session_tags: False is not allowed: AWS does not support session tags together with a policy. Allowed: true with"
    with pytest.raises(Refused, match=message):
        plan(wanted(**more), State(there))


def test_tags_follow_an_update() -> None:
    planned = plan(wanted(role="new", tags={"a": "c"}), State(THERE))
    assert [step.operation for step in planned.steps] == ["UpdatePodIdentityAssociation", "TagResource"]
    after = planned.after(State(THERE)).association
    assert (after.role, after.tags) == ("new", {"a": "c"})
