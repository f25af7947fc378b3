# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps for an access entry, and entries that belong to AWS services."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.model import Desired, Entry, Policy, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.plan import is_as_wanted, plan

PRINCIPAL = "arn:aws:iam::111111111111:role/people"
SERVICE = "arn:aws:iam::111111111111:role/aws-service-role/eks.amazonaws.com/AWSServiceRoleForAmazonEKS"
VIEW, EDIT = "arn:aws:eks::aws:cluster-access-policy/View", "arn:aws:eks::aws:cluster-access-policy/Edit"
THERE = Entry("arn", PRINCIPAL, groups=("a", "b"), username="people", policies=(Policy(EDIT), Policy(VIEW, ("x",))), tags={"a": "b"})


def wanted(**more: t.Any) -> Desired:
    return Desired("pods", more.pop("principal", PRINCIPAL), **more)


def operations(desired: Desired, entry: Entry | None = THERE) -> list[str]:
    return [step.operation for step in plan(desired, State(entry)).steps]


def test_an_entry_as_declared_needs_no_change():
    for desired in (wanted(), wanted(type="STANDARD", groups=("a", "b"), username="people", policies=THERE.policies, tags={"a": "b"})):
        assert operations(desired) == []
    assert operations(wanted(present=False), None) == []


def test_only_differences_are_sent():
    (step,) = plan(wanted(groups=("a",), username="people"), State(THERE)).steps
    assert step.arguments == {"clusterName": "pods", "principalArn": PRINCIPAL, "kubernetesGroups": ["a"]}
    assert step.effect(State(THERE)).entry == dataclasses.replace(THERE, groups=("a",))
    (step,) = plan(wanted(groups=()), State(THERE)).steps
    assert step.arguments["kubernetesGroups"] == []


def test_policies_are_associated_before_others_are_removed():
    desired = wanted(policies=(Policy(VIEW),))
    give, take = plan(desired, State(THERE)).steps
    assert give.arguments["accessScope"] == {"type": "cluster"} and (give.changes[0].before, give.changes[0].after) == ("x", "cluster")
    assert take.operation == "DisassociateAccessPolicy" and take.arguments["policyArn"] == EDIT
    assert plan(desired, State(THERE)).after(State(THERE)).entry.policies == (Policy(VIEW),)
    assert operations(wanted(policies=(Policy(VIEW),), purge_policies=False)) == ["AssociateAccessPolicy"]
    (step,) = plan(wanted(policies=(*THERE.policies[:1], Policy(VIEW, ("x", "y")))), State(THERE)).steps
    assert step.arguments["accessScope"] == {"type": "namespace", "namespaces": ["x", "y"]}


def test_a_new_entry_gets_its_policies_at_once():
    desired = wanted(type="EC2", policies=(Policy(VIEW),), tags={"a": "b"})
    assert operations(desired, None) == ["CreateAccessEntry", "AssociateAccessPolicy"]
    create = plan(desired, State(None)).steps[0]
    assert create.arguments == {"clusterName": "pods", "principalArn": PRINCIPAL, "type": "EC2", "tags": {"a": "b"}}


@pytest.mark.parametrize(
    ("desired", "entry", "message"),
    [
        (wanted(type="EC2"), THERE, "type: 'EC2' is not allowed: "),
        (wanted(present=False), dataclasses.replace(THERE, type="HYPERPOD_LINUX"), "Allowed: HYPERPOD_LINUX, which confirms the change."),
        (wanted(present=False, type="EC2"), dataclasses.replace(THERE, type="EC2_LINUX"), "type: 'EC2' is not allowed"),
        (wanted(present=False, principal=SERVICE), dataclasses.replace(THERE, principal=SERVICE), "Allowed: STANDARD"),
        (wanted(policies=()), dataclasses.replace(THERE, type="EC2"), "and this run would remove an access policy"),
        (wanted(groups=("a",)), Entry("arn", PRINCIPAL, "EC2_LINUX"), "kubernetes_groups: ('a',) is not allowed: entries of type EC2_LINUX"),
    ],
)
def test_unsupported_changes_are_refused(desired, entry, message):
    with pytest.raises(Refused) as refused:
        plan(desired, State(entry))
    assert message in str(refused.value)


def test_an_entry_whose_type_is_confirmed_can_be_removed():
    assert operations(wanted(present=False, type="HYPERPOD_LINUX"), Entry("arn", PRINCIPAL, "HYPERPOD_LINUX")) == ["DeleteAccessEntry"]
    assert operations(wanted(present=False)) == ["DeleteAccessEntry"]


def test_a_cluster_without_access_entries_is_refused():
    with pytest.raises(Refused, match="authenticationMode=API_AND_CONFIG_MAP"):
        plan(wanted(), State(mode="CONFIG_MAP"))


@pytest.mark.parametrize(
    ("more", "entry", "expected"),
    [
        ({"groups": ("a", "b")}, THERE, True),
        ({"groups": ("a",)}, THERE, False),
        ({"type": "EC2"}, THERE, False),
        ({}, dataclasses.replace(THERE, type="EC2"), False),
        ({}, None, False),
    ],
)
def test_a_creation_is_ours_if_the_result_is_as_wanted(more, entry, expected):
    assert is_as_wanted(wanted(**more), entry) is expected


RESOURCE = f"access entry {PRINCIPAL}"
NAMED = {"clusterName": "pods", "principalArn": PRINCIPAL}


def test_a_creation_sends_the_expected_requests():
    desired = wanted(type="STANDARD", groups=("a",), username="people", policies=(Policy(VIEW, ("x",)),), tags={"a": "b"})
    planned = plan(desired, State(None))
    sent = {"kubernetesGroups": ["a"], "username": "people", "type": "STANDARD", "tags": {"a": "b"}}
    scope = {"type": "namespace", "namespaces": ["x"]}
    assert planned.steps == (
        Step("CreateAccessEntry", {**NAMED, **sent}, (Change("create", RESOURCE, after={"type": "STANDARD", "kubernetes_groups": ["a"]}),)),
        Step(
            "AssociateAccessPolicy",
            {**NAMED, "policyArn": VIEW, "accessScope": scope},
            (Change("create", RESOURCE, "access_policies.View", None, "x"),),
        ),
    )
    made = Entry(KNOWN_AFTER_APPLY, PRINCIPAL, "STANDARD", ("a",), "people", (Policy(VIEW, ("x",)),), {"a": "b"})
    assert planned.after(State(None)).entry == made


def test_an_update_sends_the_expected_requests():
    desired = wanted(groups=("c",), username="others", policies=(Policy(VIEW),), tags={"a": "c"})
    planned = plan(desired, State(THERE))
    assert planned.steps == (
        Step(
            "UpdateAccessEntry",
            {**NAMED, "kubernetesGroups": ["c"], "username": "others"},
            (Change("update", RESOURCE, "kubernetes_groups", ["a", "b"], ["c"]), Change("update", RESOURCE, "username", "people", "others")),
        ),
        Step(
            "AssociateAccessPolicy",
            {**NAMED, "policyArn": VIEW, "accessScope": {"type": "cluster"}},
            (Change("update", RESOURCE, "access_policies.View", "x", "cluster"),),
        ),
        Step(
            "DisassociateAccessPolicy", {**NAMED, "policyArn": EDIT}, (Change("delete", RESOURCE, "access_policies.Edit", "cluster"),)
        ),
        Step(
            "TagResource", {"resourceArn": "arn", "tags": {"a": "c"}}, (Change("update", RESOURCE, "tags.a", "b", "c"),)
        ),
    )
    after = planned.after(State(THERE)).entry
    assert (after.groups, after.username, after.policies, after.tags) == (("c",), "others", (Policy(VIEW),), {"a": "c"})


def test_a_removal_sends_the_expected_request():
    change = Change("delete", RESOURCE, before={"type": "STANDARD", "kubernetes_groups": ["a", "b"]})
    planned = plan(wanted(present=False), State(THERE))
    assert planned.steps == (Step("DeleteAccessEntry", NAMED, (change,)),) and planned.after(State(THERE)) == State(None)


@pytest.mark.parametrize(
    ("more", "option"),
    [({"groups": ("a",)}, "kubernetes_groups"), ({"username": "a"}, "username"), ({"policies": (Policy(VIEW),)}, "access_policies")],
)
@pytest.mark.parametrize("kind", ["EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "HYPERPOD_LINUX"])
def test_entries_of_nodes_carry_no_permissions(more, option, kind):
    with pytest.raises(Refused, match=f"^{option}: ") as refused:
        plan(wanted(**more), State(Entry("arn", PRINCIPAL, kind)))
    assert refused.value.option == option
