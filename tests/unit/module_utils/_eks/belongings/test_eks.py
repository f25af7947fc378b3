# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster and its parts in EKS, and the requests that read them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings import eks
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import DETAILS, Owner

OWNER = Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
NAMED = {"clusterName": "ml"}
LISTED = (
    ("list_nodegroups", "nodegroups"),
    ("list_addons", "addons"),
    ("list_pod_identity_associations", "associations"),
    ("list_access_entries", "accessEntries"),
    ("list_fargate_profiles", "fargateProfileNames"),
)
TAGS = {"mlfleet.hyperpod/cluster": OWNER.arn}


def listings(stub: t.Any, *, without: str = "") -> None:
    """Empty replies."""
    for operation, key in LISTED:
        if operation != without:
            stub.add_response(operation, {key: []}, NAMED)


def test_a_cluster_that_does_not_exist_needs_one_call(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("describe_cluster", "ResourceNotFoundException", expected_params={"name": "ml"})
    assert list(eks.read(Api(client), OWNER)) == []


def test_missing_values_are_empty(stubbed: t.Any) -> None:
    """As of a cluster that EKS creates, and of an old botocore."""
    client, stub = stubbed("eks")
    stub.add_response("describe_cluster", {"cluster": {"name": "ml", "status": "CREATING"}}, {"name": "ml"})
    listings(stub)
    (found,) = eks.read(Api(client), OWNER)
    assert (found.status, found.ours, tuple(found.details)) == ("CREATING", False, DETAILS["eks_cluster"])
    assert found.details == {
        "version": "",
        "role_arn": "",
        "vpc_id": "",
        "subnet_ids": [],
        "security_group_id": "",
        "deletion_protection": None,
        "endpoint_public_access": None,
        "endpoint_private_access": None,
        "auto_mode": False,
        "logging": [],
        "support_type": "",
    }


def test_auto_mode_and_clusters_without_access_entries(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    cluster = {"name": "ml", "computeConfig": {"enabled": True}, "accessConfig": {"authenticationMode": "CONFIG_MAP"}, "tags": TAGS}
    stub.add_response("describe_cluster", {"cluster": cluster}, {"name": "ml"})
    listings(stub, without="list_access_entries")
    (found,) = eks.read(Api(client), OWNER)
    assert found.details["auto_mode"] is True and found.ours


def test_settings_that_are_billed(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    setup = [{"types": ["audit", "api"], "enabled": True}, {"types": ["scheduler"], "enabled": False}]
    cluster = {"name": "ml", "logging": {"clusterLogging": setup}, "upgradePolicy": {"supportType": "EXTENDED"}}
    stub.add_response("describe_cluster", {"cluster": cluster}, {"name": "ml"})
    stub.add_response("list_nodegroups", {"nodegroups": []}, NAMED)
    stub.add_response("list_addons", {"addons": ["a", "b"]}, NAMED)
    for name, text in (("a", "containerLogs: {enabled: true}"), ("b", "{")):
        stub.add_response("describe_addon", {"addon": {"addonName": name, "configurationValues": text}}, {**NAMED, "addonName": name})
    for operation, key in LISTED[2:]:
        stub.add_response(operation, {key: []}, NAMED)
    found, a, b = eks.read(Api(client), OWNER)
    assert (found.details["logging"], found.details["support_type"]) == (["api", "audit"], "EXTENDED")
    assert (a.details["configuration"], b.details["configuration"]) == ({"containerLogs": {"enabled": True}}, "{")
    assert tuple(a.details) == DETAILS["eks_addon"]


def test_a_group_that_is_removed_meanwhile_and_the_rest_of_a_removed_cluster_are_omitted(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_cluster", {"cluster": {"name": "ml"}}, {"name": "ml"})
    stub.add_response("list_nodegroups", {"nodegroups": ["b", "a"]}, NAMED)
    stub.add_client_error("describe_nodegroup", "ResourceNotFoundException", expected_params={**NAMED, "nodegroupName": "a"})
    group = {"nodegroupName": "b", "status": "DELETING", "subnets": ["subnet-2", "subnet-1"]}
    stub.add_response("describe_nodegroup", {"nodegroup": group}, {**NAMED, "nodegroupName": "b"})
    for operation, _key in LISTED[1:]:
        stub.add_client_error(operation, "ResourceNotFoundException", expected_params=NAMED)
    _cluster, found = eks.read(Api(client), OWNER)
    assert (found.kind, found.id, found.status, found.details["subnet_ids"]) == ("eks_nodegroup", "b", "DELETING", ["subnet-1", "subnet-2"])
    assert tuple(found.details) == DETAILS["eks_nodegroup"] and found.details["launch_template"] is None


def test_an_association_of_an_addon_names_it(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    answer = {"associationId": "a-1", "namespace": "kube-system", "serviceAccount": "aws-node", "ownerArn": "arn:addon"}
    stub.add_response("list_pod_identity_associations", {"associations": [{"associationId": "a-1"}]}, NAMED)
    stub.add_response("describe_pod_identity_association", {"association": answer}, {**NAMED, "associationId": "a-1"})
    (found,) = eks._parts(Api(client), OWNER, eks.PARTS[2])
    assert (found.id, found.name, found.details["owner_arn"]) == ("a-1", "kube-system/aws-node", "arn:addon")


def test_other_failures_name_the_operation(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_cluster", {"cluster": {"name": "ml"}}, {"name": "ml"})
    stub.add_client_error("list_nodegroups", "AccessDeniedException", expected_params=NAMED)
    with pytest.raises(AwsError, match="^ListNodegroups for nodegroup of EKS cluster ml failed; allow the action"):
        list(eks.read(Api(client), OWNER))
