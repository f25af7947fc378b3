# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role with which KEDA reads AWS metrics, and what is known of instance groups."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.keda import Keda, look
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.model import Remediable, Trigger

DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/scaledobjects.keda.sh"
REQUEST = {"clusterName": "pods", "namespace": "keda", "serviceAccount": "operator"}
Object = dict[str, t.Any]


class Server:
    def __init__(self, *operators: Object, defined: bool = True, account: Object | None = None) -> None:
        self.operators = operators
        self.objects: dict[str, Object | None] = {"/api/v1/namespaces/keda/serviceaccounts/operator": account}
        if defined:
            self.objects[DEFINITION] = {}

    def find(self, path: str) -> Object | None:
        return self.objects.get(path)

    def items(self, path: str, *, labelSelector: str) -> t.Sequence[Object]:
        assert (path, labelSelector) == ("/apis/apps/v1/deployments", "app.kubernetes.io/name=keda-operator")
        return self.operators


def operator(**spec: str) -> Object:
    return {"metadata": {"namespace": "keda"}, "spec": {"template": {"spec": spec}}}


@pytest.mark.parametrize("defined", [True, False])
def test_without_an_operator_there_is_no_role(stubbed: t.Any, defined: bool) -> None:
    client, _stub = stubbed("eks")
    assert look(t.cast(t.Any, Server(defined=defined)), Api(client), "pods") == Keda(defined, "", "")


def test_a_role_is_read_from_the_annotation(stubbed: t.Any) -> None:
    client, _stub = stubbed("eks")
    server = Server(operator(serviceAccountName="operator"), account={"metadata": {"annotations": {"eks.amazonaws.com/role-arn": "role\x1b"}}})
    assert look(t.cast(t.Any, server), Api(client), "pods") == Keda(True, "keda/operator", "role?")


@pytest.mark.parametrize("account", [None, {"metadata": {}}, {"metadata": {"annotations": None}}])
@pytest.mark.parametrize(("listed", "role"), [([{"associationArn": "arn"}], "arn"), ([], ""), (None, None)])
def test_a_role_is_read_from_pod_identity(stubbed: t.Any, account: Object | None, listed: list[Object] | None, role: str | None) -> None:
    client, stub = stubbed("eks")
    if listed is None:
        stub.add_client_error("list_pod_identity_associations", "AccessDeniedException", expected_params=REQUEST)
    else:
        stub.add_response("list_pod_identity_associations", {"associations": listed}, REQUEST)
    server = Server(operator(serviceAccountName="operator"), operator(serviceAccountName="other"), account=account)
    assert look(t.cast(t.Any, server), Api(client), "pods") == Keda(True, "keda/operator", role)


def test_an_operator_without_a_service_account_has_the_default_one(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("list_pod_identity_associations", {"associations": []}, {**REQUEST, "serviceAccount": "default"})
    assert look(t.cast(t.Any, Server(operator())), Api(client), "pods") == Keda(True, "keda/default", "")


@pytest.mark.parametrize(("kind", "authenticated", "needs"), [("aws-sqs-queue", False, True), ("aws-sqs-queue", True, False), ("cpu", False, False)])
def test_triggers_that_need_the_operator_role_are_recognised(kind: str, authenticated: bool, needs: bool) -> None:
    assert Trigger(kind, authenticated).needs_operator is needs and Trigger(kind) == Trigger(kind, authenticated=False)


def test_a_requirement_is_returned_with_its_remedy() -> None:
    expected = {"name": "a", "met": False, "found": "b", "needed": "c", "remedy": "d"}
    assert Remediable("a", False, "b", "c", "d").to_result() == expected
