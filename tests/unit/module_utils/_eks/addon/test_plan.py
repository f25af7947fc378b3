# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an add-on needs, and what a request for it names."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import (
    Addon,
    Catalogue,
    Desired,
    Identity,
    Issue,
    State,
    Version,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.plan import plan

V1, V2, V3 = "v1.0.0-eksbuild.1", "v2.0.0-eksbuild.1", "v3.0.0-eksbuild.1"
OFFERED = Catalogue("1.34", (Version(V3, needs_configuration=True), Version(V2, default=True, identities=True), Version(V1)), "system")
NODE, OTHER = Identity("node", "role"), Identity("other", "role")
THERE = Addon("arn", V2, "ACTIVE", text='{"a": 1}', role="old", identities=(NODE,), namespace="system", tags={"a": "b"})


def wanted(**more: t.Any) -> Desired:
    return Desired("pods", "cni", **more)


def state(addon: Addon | None = THERE, schema: t.Any = None) -> State:
    return State(addon, OFFERED, schema)


def test_nothing_is_to_be_done():
    for desired in (wanted(), wanted(configuration={"a": 1}, role="old", identities=(NODE,), namespace="system", tags={"a": "b"})):
        assert not plan(desired, state())
    assert not plan(wanted(present=False), State(None))
    assert not plan(wanted(present=False), State(dataclasses.replace(THERE, status="DELETING")))


def test_a_new_one_names_what_was_asked_for():
    (step,) = plan(wanted(), state(None)).steps
    assert step.arguments == {"clusterName": "pods", "addonName": "cni", "addonVersion": V2, "resolveConflicts": "NONE"}
    desired = wanted(configuration={"a": 1}, role="r", identities=(NODE,), namespace="n", tags={"a": "b"}, resolve_conflicts="OVERWRITE")
    (step,) = plan(desired, state(None)).steps
    assert {name: step.arguments[name] for name in list(step.arguments)[3:]} == {
        "resolveConflicts": "OVERWRITE",
        "configurationValues": '{"a": 1}',
        "serviceAccountRoleArn": "r",
        "podIdentityAssociations": [{"serviceAccount": "node", "roleArn": "role"}],
        "namespaceConfig": {"namespace": "n"},
        "tags": {"a": "b"},
    }
    assert plan(wanted(), state(None)).after(state(None)).addon.namespace == "system"


def test_an_update_names_all_but_associations_that_stay():
    (step,) = plan(wanted(version="latest", upgrade=True), state()).steps
    kept = {"configurationValues": '{"a": 1}', "serviceAccountRoleArn": "old"}
    assert step.arguments == {"clusterName": "pods", "addonName": "cni", "addonVersion": V3, "resolveConflicts": "NONE", **kept}
    (step,) = plan(wanted(identities=()), state()).steps
    assert step.arguments["podIdentityAssociations"] == [] and step.arguments["serviceAccountRoleArn"] == "old"
    (step,) = plan(wanted(configuration={}), state()).steps
    assert step.arguments["configurationValues"] == "{}"
    (step,) = plan(wanted(role=""), state()).steps
    assert "serviceAccountRoleArn" not in step.arguments


@pytest.mark.parametrize("status", ["CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED"])
def test_what_failed_is_tried_again(status):
    broken = state(dataclasses.replace(THERE, status=status, issues=(Issue("A", "b"),)))
    (step,) = plan(wanted(), broken).steps
    assert step.operation == "UpdateAddon" and [change.field for change in step.changes] == ["status"]
    after = step.effect(broken).addon
    assert (after.status, after.issues) == ("ACTIVE", ())
    (step,) = plan(wanted(present=False), broken).steps
    assert step.operation == "DeleteAddon"


def test_one_that_is_going_is_made_again():
    going = state(dataclasses.replace(THERE, status="DELETING"))
    assert [step.operation for step in plan(wanted(), going).steps] == ["CreateAddon"]


def test_tags_follow_an_update_and_are_kept_by_it():
    planned = plan(wanted(role="new", tags={"c": "d"}), state())
    assert [step.operation for step in planned.steps] == ["UpdateAddon", "TagResource", "UntagResource"]
    after = planned.after(state()).addon
    assert (after.role, after.tags) == ("new", {"c": "d"})


@pytest.mark.parametrize(
    ("desired", "addon", "schema", "said"),
    [
        (wanted(version="v9"), None, None, f"version: 'v9' is not allowed: EKS does not offer it for Kubernetes 1.34. Allowed: default, latest, {V3}"),
        (wanted(namespace="n"), THERE, None, "namespace: 'n' is not allowed: add-on cni is in system, and EKS can't move it."),
        (wanted(version=V1, identities=(OTHER,)), THERE, None, "pod_identity_associations: ['other'] is not allowed: cni v1.0.0-eksbuild.1"),
        (wanted(version=V3), None, None, f"configuration: missing; cni {V3} needs it."),
        (wanted(configuration={"a": "b"}), THERE, {"properties": {"a": {"type": "integer"}}}, "configuration.a: 'b' is not allowed: "),
        (wanted(version=V1), THERE, {"additionalProperties": False}, "configuration.a: 1 is not allowed: it is not known; cni v1.0.0"),
    ],
)
def test_what_eks_would_refuse(desired, addon, schema, said):
    with pytest.raises(Refused) as refused:
        plan(desired, state(addon, schema))
    assert said in str(refused.value)


def test_an_add_on_that_eks_does_not_have():
    with pytest.raises(Refused, match="name: 'cni' is not allowed: EKS offers no version of it for Kubernetes 1.34"):
        plan(wanted(), State(None, Catalogue("1.34")))


def test_associations_that_stay_are_no_matter_where_none_are_taken():
    assert plan(wanted(version=V1, identities=(NODE,)), state())
    assert plan(wanted(version=V1, identities=()), state())


def test_notes_tell_what_is_wrong_with_what_stays():
    degraded = dataclasses.replace(THERE, status="DEGRADED", version="v0.1.0", issues=(Issue("A", "b"),))
    planned = plan(wanted(), state(degraded))
    assert not planned and [str(note) for note in planned.notes] == [
        "add-on cni of EKS cluster pods is DEGRADED (A: b).",
        f"add-on cni of EKS cluster pods has version v0.1.0, which EKS does not offer for Kubernetes 1.34: {V3}, {V2}, {V1}. "
        "Set version to one of them, or upgrade to true.",
    ]


RESOURCE = "add-on cni"
NAMED = {"clusterName": "pods", "addonName": "cni"}


@pytest.mark.parametrize(
    ("more", "sent", "changes"),
    [
        ({"version": V1}, {"addonVersion": V1}, [("version", V2, V1)]),
        ({"configuration": {"a": 2}}, {"configurationValues": '{"a": 2}'}, [("configuration", {"a": 1}, {"a": 2})]),
        ({"role": "new"}, {"serviceAccountRoleArn": "new"}, [("service_account_role_arn", "old", "new")]),
        (
            {"identities": (OTHER,)},
            {"podIdentityAssociations": [{"serviceAccount": "other", "roleArn": "role"}]},
            [
                (
                    "pod_identity_associations",
                    [{"service_account": "node", "role_arn": "role"}],
                    [{"service_account": "other", "role_arn": "role"}],
                )
            ],
        ),
        (
            {"version": V1, "role": "new"},
            {"addonVersion": V1, "serviceAccountRoleArn": "new"},
            [("version", V2, V1), ("service_account_role_arn", "old", "new")],
        ),
    ],
    ids=["version", "configuration", "role", "identities", "two settings"],
)
def test_the_request_of_an_update(more, sent, changes):
    planned = plan(wanted(**more, resolve_conflicts="PRESERVE"), state())
    kept = {"addonVersion": V2, "resolveConflicts": "PRESERVE", "configurationValues": '{"a": 1}', "serviceAccountRoleArn": "old"}
    expected = tuple(Change("update", RESOURCE, *each) for each in changes)
    assert planned.steps == (Step("UpdateAddon", {**NAMED, **kept, **sent}, expected),)
    assert not plan(wanted(**more), planned.after(state()))


def test_the_changes_of_a_creation_a_retry_and_a_removal():
    (create,) = plan(wanted(configuration={"a": 1}), state(None)).steps
    assert (create.operation, create.changes) == (
        "CreateAddon",
        (Change("create", RESOURCE, after={"version": V2, "configuration": {"a": 1}}),),
    )
    (retry,) = plan(wanted(), state(dataclasses.replace(THERE, status="UPDATE_FAILED"))).steps
    assert retry.changes == (Change("update", RESOURCE, "status", "UPDATE_FAILED", "ACTIVE"),)
    removal = plan(wanted(present=False, preserve=True), state())
    change = Change("delete", RESOURCE, before={"version": V2})
    assert removal.steps == (Step("DeleteAddon", {**NAMED, "preserve": True}, (change,)),)
    assert removal.after(state()).addon is None
