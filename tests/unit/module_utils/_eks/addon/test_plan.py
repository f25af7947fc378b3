# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps for an add-on, and the parameters of their requests."""

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


def test_an_add_on_as_declared_needs_no_change():
    for desired in (wanted(), wanted(configuration={"a": 1}, role="old", identities=(NODE,), namespace="system", tags={"a": "b"})):
        assert not plan(desired, state())
    assert not plan(wanted(present=False), State(None))
    assert not plan(wanted(present=False), State(dataclasses.replace(THERE, status="DELETING")))


def test_a_creation_sends_the_declared_settings():
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


def test_an_update_sends_everything_except_unchanged_associations():
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
def test_a_failed_add_on_is_tried_again(status):
    broken = state(dataclasses.replace(THERE, status=status, issues=(Issue("A", "b"),)))
    (step,) = plan(wanted(), broken).steps
    assert step.operation == "UpdateAddon" and [change.field for change in step.changes] == ["status"]
    after = step.effect(broken).addon
    assert (after.status, after.issues) == ("ACTIVE", ())
    (step,) = plan(wanted(present=False), broken).steps
    assert step.operation == "DeleteAddon"


def test_an_add_on_being_deleted_is_created_again():
    going = state(dataclasses.replace(THERE, status="DELETING"))
    assert [step.operation for step in plan(wanted(), going).steps] == ["CreateAddon"]


def test_tags_follow_an_update_and_are_kept_by_it():
    planned = plan(wanted(role="new", tags={"c": "d"}), state())
    assert [step.operation for step in planned.steps] == ["UpdateAddon", "TagResource", "UntagResource"]
    after = planned.after(state()).addon
    assert (after.role, after.tags) == ("new", {"c": "d"})


@pytest.mark.parametrize(
    ("desired", "addon", "schema", "message"),
    [
        (
            wanted(version="v9"),
            None,
            None,
            f"version: 'v9' is not allowed: EKS does not offer this version for Kubernetes 1.34. Allowed: default, latest, {V3}",
        ),
        (wanted(namespace="n"), THERE, None, "namespace: 'n' is not allowed: add-on cni is in system, and EKS can't move it."),
        (wanted(version=V1, identities=(OTHER,)), THERE, None, "pod_identity_associations: ['other'] is not allowed: cni v1.0.0-eksbuild.1"),
        (wanted(version=V3), None, None, f"configuration: missing; cni {V3} requires it."),
        (wanted(configuration={"a": "b"}), THERE, {"properties": {"a": {"type": "integer"}}}, "configuration.a: 'b' is not allowed: "),
        (
            wanted(version=V1),
            THERE,
            {"additionalProperties": False},
            "configuration.a: 1 is not allowed: the setting is unknown; the settings do not match the schema of cni v1.0.0",
        ),
    ],
)
def test_requests_that_eks_would_refuse_are_refused_first(desired, addon, schema, message):
    with pytest.raises(Refused) as refused:
        plan(desired, state(addon, schema))
    assert message in str(refused.value)


def test_an_unknown_add_on_is_refused():
    with pytest.raises(Refused, match="name: 'cni' is not allowed: EKS offers no version of this add-on for Kubernetes 1.34"):
        plan(wanted(), State(None, Catalogue("1.34")))


def test_unchanged_associations_are_accepted_for_add_ons_that_support_none():
    assert plan(wanted(version=V1, identities=(NODE,)), state())
    assert plan(wanted(version=V1, identities=()), state())


def test_notes_describe_problems_of_unchanged_settings():
    degraded = dataclasses.replace(THERE, status="DEGRADED", version="v0.1.0", issues=(Issue("A", "b"),))
    planned = plan(wanted(), state(degraded))
    assert not planned and [str(note) for note in planned.notes] == [
        "add-on cni of EKS cluster pods is DEGRADED (A: b).",
        f"add-on cni of EKS cluster pods has version v0.1.0, which EKS does not offer for Kubernetes 1.34. EKS offers {V3}, {V2}, {V1}. "
        "Set version to one of these versions, or set upgrade to true.",
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
def test_an_update_sends_the_expected_request(more, sent, changes):
    planned = plan(wanted(**more, resolve_conflicts="PRESERVE"), state())
    kept = {"addonVersion": V2, "resolveConflicts": "PRESERVE", "configurationValues": '{"a": 1}', "serviceAccountRoleArn": "old"}
    expected = tuple(Change("update", RESOURCE, *each) for each in changes)
    assert planned.steps == (Step("UpdateAddon", {**NAMED, **kept, **sent}, expected),)
    assert not plan(wanted(**more), planned.after(state()))


def test_creation_retry_and_removal_report_the_expected_changes():
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
