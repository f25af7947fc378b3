# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How an add-on and the versions that EKS offers are read, and by which requests."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import (
    Addon,
    Catalogue,
    Desired,
    Identity,
    State,
    Version,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.observe import Observer, look, offered, settings

NAMED = {"clusterName": "pods", "addonName": "cni"}
OFFER = {"addonName": "cni", "kubernetesVersion": "1.34"}
OLD, NEW = "v1.9.0-eksbuild.1", "v1.10.0-eksbuild.1"
ANSWER = {"addonArn": "arn", "addonVersion": OLD, "status": "ACTIVE", "configurationValues": '{"a": 1}'}
HAVE = Addon("arn", OLD, "ACTIVE", text='{"a": 1}')


def versions(*names: str) -> dict[str, t.Any]:
    return {"addons": [{"addonName": "cni", "addonVersions": [{"addonVersion": name} for name in names]}]}


def test_the_roles_of_an_add_on_are_read_from_its_associations(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    arns = [f"arn:aws:eks:us-west-2:111111111111:podidentityassociation/pods/{name}" for name in ("a-1", "a-2")]
    stub.add_response("describe_addon", {"addon": {**ANSWER, "podIdentityAssociations": arns}}, NAMED)
    association = {"serviceAccount": "node", "roleArn": "role"}
    stub.add_response("describe_pod_identity_association", {"association": association}, {"clusterName": "pods", "associationId": "a-1"})
    stub.add_client_error("describe_pod_identity_association", "ResourceNotFoundException")
    assert look(Api(client), "pods", "cni") == Addon("arn", OLD, "ACTIVE", text='{"a": 1}', identities=(Identity("node", "role"),))


def test_an_absent_add_on_is_none(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("describe_addon", "ResourceNotFoundException", expected_params=NAMED)
    assert look(Api(client), "pods", "cni") is None


def test_offered_versions_are_sorted_with_the_newest_first(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    default = {"addonVersion": OLD, "compatibilities": [{"defaultVersion": False}, {"defaultVersion": True}]}
    needs = {"addonVersion": NEW, "requiresIamPermissions": True, "requiresConfiguration": True}
    addons = [
        {"addonName": "cni"},
        {"addonName": "cni", "addonVersions": [default, needs], "defaultNamespace": "kube-system"},
    ]
    stub.add_response("describe_addon_versions", {"addons": addons}, OFFER)
    newest, oldest = Version(NEW, identities=True, needs_configuration=True), Version(OLD, default=True)
    assert offered(Api(client), "cni", "1.34") == Catalogue("1.34", (newest, oldest), "kube-system")


def test_an_add_on_that_eks_does_not_offer_has_no_versions(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_addon_versions", {"addons": []}, OFFER)
    assert offered(Api(client), "cni", "1.34") == Catalogue("1.34")


def test_the_settings_of_a_version_are_read(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_addon_configuration", {"configurationSchema": "{}"}, {"addonName": "cni", "addonVersion": NEW})
    assert settings(Api(client), "cni", NEW)["configurationSchema"] == "{}"


@pytest.mark.parametrize(
    ("addon", "wanted", "version"),
    [
        (None, {}, None),
        (None, {"configuration": {}}, None),
        (None, {"configuration": {"a": 1}}, NEW),
        (None, {"configuration": {"a": 1}, "version": "v0"}, None),
        (ANSWER, {"version": OLD}, None),
        (ANSWER, {"version": OLD, "configuration": {"a": 1}}, None),
        (ANSWER, {"version": OLD, "configuration": {"a": 2}}, OLD),
        (ANSWER, {"version": NEW}, NEW),
        (ANSWER, {"version": NEW, "configuration": {"a": 1}}, NEW),
        (ANSWER, {"version": NEW, "configuration": {}}, None),
    ],
)
def test_the_schema_is_read_if_settings_are_sent(
    stubbed: t.Any, addon: dict[str, t.Any] | None, wanted: dict[str, t.Any], version: str | None
) -> None:
    client, stub = stubbed("eks")
    if addon is None:
        stub.add_client_error("describe_addon", "ResourceNotFoundException")
    else:
        stub.add_response("describe_addon", {"addon": addon}, NAMED)
    stub.add_response("describe_cluster", {"cluster": {"name": "pods", "version": "1.34"}}, {"name": "pods"})
    stub.add_response("describe_addon_versions", versions(OLD, NEW), OFFER)
    if version:
        parameters = {"addonName": "cni", "addonVersion": version}
        stub.add_response("describe_addon_configuration", {"configurationSchema": '{"type": "object"}'}, parameters)
    found = Observer(Api(client), Desired("pods", "cni", **wanted), waits=None)()
    catalogue = Catalogue("1.34", (Version(NEW), Version(OLD)))
    assert found == State(HAVE if addon else None, catalogue, {"type": "object"} if version else None)


def test_a_version_may_have_no_schema(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("describe_addon", "ResourceNotFoundException")
    stub.add_response("describe_cluster", {"cluster": {"name": "pods", "version": "1.34"}})
    stub.add_response("describe_addon_versions", versions(NEW))
    stub.add_response("describe_addon_configuration", {})
    assert Observer(Api(client), Desired("pods", "cni", configuration={"a": 1}), waits=None)().schema is None


def waited(client: t.Any) -> State:
    now = [0.0]
    clock = Clock(now=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds), jitter=lambda: 0.0)
    return Observer(Api(client), Desired("pods", "cni", present=False), waits=Waits(timeout=60, interval=20, clock=clock))()


@pytest.mark.parametrize("status", ["CREATING", "UPDATING", "DELETING"])
def test_a_concurrent_operation_is_waited_for(stubbed: t.Any, status: str) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_addon", {"addon": {**ANSWER, "status": status}})
    stub.add_response("describe_addon", {"addon": ANSWER})
    assert waited(client) == State(HAVE)


def test_an_add_on_may_disappear_during_the_wait(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_addon", {"addon": {**ANSWER, "status": "DELETING"}})
    stub.add_client_error("describe_addon", "ResourceNotFoundException")
    assert waited(client) == State()
