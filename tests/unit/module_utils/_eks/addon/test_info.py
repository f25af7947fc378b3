# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-ons of a cluster that are returned, and the requests that read them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.info import info

REGION = "us-west-2"
ANSWER = {"addonArn": "arn", "addonVersion": "v1", "status": "ACTIVE"}


def params(**given: t.Any) -> dict[str, t.Any]:
    return {"eks_cluster": "pods", "name": None, "version": None, "kubernetes_version": None, **given}


def offer(stub: t.Any) -> None:
    """``cni`` is not installed, and EKS offers two versions of it."""
    stub.add_response("describe_cluster", {"cluster": {"name": "pods", "version": "1.34"}}, {"name": "pods"})
    old = {"addonVersion": "v1", "compatibilities": [{"defaultVersion": True}]}
    new = {"addonVersion": "v2", "requiresIamPermissions": True}
    wanted = {"addonName": "cni", "kubernetesVersion": "1.34"}
    stub.add_response("describe_addon_versions", {"addons": [{"addonName": "cni", "addonVersions": [old, new]}]}, wanted)
    stub.add_client_error("describe_addon", "ResourceNotFoundException", expected_params={"clusterName": "pods", "addonName": "cni"})


VERSIONS = [
    {"version": "v2", "default": False, "requires_configuration": False, "requires_iam_permissions": True},
    {"version": "v1", "default": True, "requires_configuration": False, "requires_iam_permissions": False},
]


def test_an_add_on_deleted_meanwhile_is_left_out(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("list_addons", {"addons": ["c", "b", "a"]}, {"clusterName": "pods"})
    stub.add_response("describe_addon", {"addon": ANSWER}, {"clusterName": "pods", "addonName": "a"})
    stub.add_client_error("describe_addon", "ResourceNotFoundException", expected_params={"clusterName": "pods", "addonName": "b"})
    stub.add_response("describe_addon", {"addon": ANSWER}, {"clusterName": "pods", "addonName": "c"})
    found = info(Api(client), params(), REGION)
    assert [each["name"] for each in found.pop("eks_addons")] == ["a", "c"]
    assert found == {"eks_addon_versions": [], "eks_addon_configuration": None}


def test_a_single_add_on_is_returned_with_its_versions(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    offer(stub)
    found = info(Api(client), params(name="cni"), REGION)
    assert found == {"eks_addons": [], "eks_addon_versions": VERSIONS, "eks_addon_configuration": None}


def test_a_cluster_that_does_not_exist_needs_a_version_of_kubernetes(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    listed = {"addons": [{"addonName": "cni", "addonVersions": [{"addonVersion": "v1"}]}]}
    stub.add_response("describe_addon_versions", listed, {"addonName": "cni", "kubernetesVersion": "1.35"})
    stub.add_client_error("describe_addon", "ResourceNotFoundException", expected_params={"clusterName": "pods", "addonName": "cni"})
    found = info(Api(client), params(name="cni", kubernetes_version="1.35"), REGION)
    assert [each["version"] for each in found["eks_addon_versions"]] == ["v1"] and found["eks_addons"] == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({}, {"schema": {}, "pod_identities": []}),
        (
            {
                "configurationSchema": '{"type": "object"}',
                "podIdentityConfiguration": [{"serviceAccount": "a", "recommendedManagedPolicies": ["b"]}, {"serviceAccount": "c"}],
            },
            {
                "schema": {"type": "object"},
                "pod_identities": [
                    {"service_account": "a", "recommended_managed_policies": ["b"]},
                    {"service_account": "c", "recommended_managed_policies": []},
                ],
            },
        ),
    ],
)
def test_the_settings_of_a_version_are_returned(stubbed: t.Any, answer: dict[str, t.Any], expected: dict[str, t.Any]) -> None:
    client, stub = stubbed("eks")
    offer(stub)
    stub.add_response("describe_addon_configuration", answer, {"addonName": "cni", "addonVersion": "v2"})
    found = info(Api(client), params(name="cni", version="latest"), REGION)
    assert found == {"eks_addons": [], "eks_addon_versions": VERSIONS, "eks_addon_configuration": {"version": "v2", **expected}}


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"eks_cluster": "a b"}, "eks_cluster"),
        ({"name": "a b"}, "name"),
        ({"name": "cni", "version": "newest"}, "version"),
        ({"eks_cluster": "arn:aws:eks:us-east-1:111111111111:cluster/pods"}, "eks_cluster"),
    ],
)
def test_invalid_options_are_refused(stubbed: t.Any, given: dict[str, t.Any], option: str) -> None:
    client, _stub = stubbed("eks")
    with pytest.raises(Refused, match=f"^{option}: ") as refused:
        info(Api(client), params(**given), REGION)
    assert refused.value.option == option


def test_a_cluster_that_does_not_exist_yet_is_not_read(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    expected = {"addonName": "cni", "kubernetesVersion": "1.35"}
    stub.add_response("describe_addon_versions", {"addons": [{"addonVersions": [{"addonVersion": "v1"}]}]}, expected)
    stub.add_client_error("describe_addon", "ResourceNotFoundException")
    found = info(Api(client), params(name="cni", kubernetes_version="1.35"), REGION)
    assert [each["version"] for each in found["eks_addon_versions"]] == ["v1"]
