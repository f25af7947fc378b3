# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add-ons by boto3 against the simulator."""

from __future__ import annotations

import json
import typing as t

import pytest
from botocore.exceptions import ClientError
from refusals import code

GOVERNANCE, OPERATOR, CNI = "amazon-sagemaker-hyperpod-taskgovernance", "amazon-sagemaker-hyperpod-training-operator", "vpc-cni"
ROLE = "arn:aws:iam::111111111111:role/hyperpod-pods"
IDENTITY = {"serviceAccount": "aws-node", "roleArn": ROLE}


def test_an_add_on_is_created_changed_and_removed_in_steps(place: t.Any) -> None:
    with place.account.held():
        made = place.create_addon(addonName=GOVERNANCE, configurationValues='{"replicas": 2}', tags={"a": "b"})["addon"]
        assert (made["status"], made["addonVersion"], made["namespaceConfig"]) == ("CREATING", "v1.6.0-eksbuild.1", {"namespace": "kueue-system"})
        assert code(place.update_addon, addonName=GOVERNANCE) == "ResourceInUseException"
    found = place.settled(GOVERNANCE)
    assert (found["status"], found["configurationValues"], found["tags"]) == ("ACTIVE", '{"replicas": 2}', {"a": "b"})
    assert code(place.create_addon, addonName=GOVERNANCE) == "ResourceInUseException"
    with place.account.held():
        update = place.update_addon(addonName=GOVERNANCE, addonVersion="v1.6.1-eksbuild.1")["update"]
        assert update["status"] == "InProgress" and place.describe_addon(addonName=GOVERNANCE)["addon"]["addonVersion"] == "v1.6.0-eksbuild.1"
    found = place.settled(GOVERNANCE)
    assert found["addonVersion"] == "v1.6.1-eksbuild.1" and "configurationValues" not in found
    described = place.eks.describe_update(name=place.name, addonName=GOVERNANCE, updateId=update["id"])["update"]
    assert described["status"] == "Successful"
    assert place.delete_addon(addonName=GOVERNANCE)["addon"]["status"] == "DELETING"
    with pytest.raises(ClientError):
        place.settled(GOVERNANCE)


def test_requests_that_eks_refuses(place: t.Any) -> None:
    for wrong in (
        {"addonName": "none"},
        {"addonName": GOVERNANCE, "addonVersion": "v1.5.0-eksbuild.9"},
        {"addonName": GOVERNANCE, "configurationValues": '{"replica": 2}'},
    ):
        assert code(place.create_addon, **wrong) == "InvalidParameterException"
    assert code(place.create_addon, addonName=OPERATOR, podIdentityAssociations=[IDENTITY]) == "InvalidRequestException"
    assert code(place.describe_addon, addonName=GOVERNANCE) == "ResourceNotFoundException"
    assert place.list_addons()["addons"] == []


def test_associations_of_an_add_on_are_replaced_as_a_set(place: t.Any) -> None:
    place.create_addon(addonName=CNI, podIdentityAssociations=[IDENTITY])
    (arn,) = place.settled(CNI)["podIdentityAssociations"]
    (listed,) = place.list_pod_identity_associations(namespace="kube-system")["associations"]
    assert listed["associationArn"] == arn and listed["ownerArn"] == place.settled(CNI)["addonArn"]
    assert code(place.delete_pod_identity_association, associationId=listed["associationId"]) == "InvalidRequestException"
    place.update_addon(addonName=CNI)
    assert place.settled(CNI)["podIdentityAssociations"] == [arn]
    place.update_addon(addonName=CNI, podIdentityAssociations=[])
    assert "podIdentityAssociations" not in place.settled(CNI)
    assert place.list_pod_identity_associations()["associations"] == []


def test_issues_of_a_test_degrade_an_active_add_on(place: t.Any, account: t.Any) -> None:
    account.control.settings(eks_addon_issues={CNI: ["AccessDenied: no role"]})
    place.create_addon(addonName=CNI)
    found = place.settled(CNI)
    assert (found["status"], found["health"]["issues"]) == ("DEGRADED", [{"code": "AccessDenied", "message": "no role"}])
    account.control.settings(eks_addon_issues={})
    assert (place.settled(CNI)["status"], place.settled(CNI)["health"]["issues"]) == ("ACTIVE", [])


def test_failures_and_missing_nodes_are_reported(place: t.Any, account: t.Any) -> None:
    account.control.settings(eks_without_nodes=[place.name], eks_addon_conflicts=[CNI])
    place.create_addon(addonName=GOVERNANCE)
    found = place.settled(GOVERNANCE)
    assert (found["status"], found["health"]["issues"][0]["code"]) == ("DEGRADED", "InsufficientNumberOfReplicas")
    account.control.settings(eks_without_nodes=[])
    assert place.settled(GOVERNANCE)["status"] == "ACTIVE"
    place.create_addon(addonName=CNI)
    found = place.settled(CNI)
    assert (found["status"], found["health"]["issues"][0]["code"]) == ("CREATE_FAILED", "ConfigurationConflict")
    update = place.update_addon(addonName=CNI, resolveConflicts="NONE")["update"]
    assert place.settled(CNI)["status"] == "UPDATE_FAILED"
    described = place.eks.describe_update(name=place.name, addonName=CNI, updateId=update["id"])["update"]
    assert (described["status"], described["errors"][0]["errorCode"]) == ("Failed", "ConfigurationConflict")
    place.update_addon(addonName=CNI, resolveConflicts="OVERWRITE")
    assert (place.settled(CNI)["status"], place.settled(CNI)["health"]["issues"]) == ("ACTIVE", [])
    operation = f"DELETE /clusters/{place.name}/addons/{CNI}"
    account.control.faults({"kind": "fail_later", "operation": operation, "code": "ClusterUnreachable: no way"})
    place.delete_addon(addonName=CNI)
    assert place.settled(CNI)["health"]["issues"] == [{"code": "ClusterUnreachable", "message": "no way"}]


def test_versions_and_their_settings(place: t.Any) -> None:
    (found,) = place.eks.describe_addon_versions(addonName=GOVERNANCE, kubernetesVersion="1.34")["addons"]
    assert [each["addonVersion"] for each in found["addonVersions"]] == ["v1.6.1-eksbuild.1", "v1.6.0-eksbuild.1", "v1.5.0-eksbuild.1"]
    assert [each["compatibilities"][0]["defaultVersion"] for each in found["addonVersions"]] == [False, True, False]
    assert place.eks.describe_addon_versions(addonName="none")["addons"] == []
    configuration = place.eks.describe_addon_configuration(addonName=CNI, addonVersion="v1.19.2-eksbuild.1")
    assert "env" in json.loads(configuration["configurationSchema"])["definitions"]["Settings"]["properties"]
    assert configuration["podIdentityConfiguration"][0]["serviceAccount"] == "aws-node"


def test_each_version_of_kubernetes_has_a_kube_proxy_of_its_own(place: t.Any) -> None:
    for kubernetes in ("1.34", "1.35"):
        (found,) = place.eks.describe_addon_versions(addonName="kube-proxy", kubernetesVersion=kubernetes)["addons"]
        by_default = {each["addonVersion"]: each["compatibilities"][0]["defaultVersion"] for each in found["addonVersions"]}
        newest, *older = by_default
        assert newest.startswith(f"v{kubernetes}.") and by_default[newest] and len(older) == 3 and not any(by_default[each] for each in older)


def test_tags_of_an_add_on(place: t.Any) -> None:
    arn = place.create_addon(addonName=CNI, tags={"a": "b", "c": "d"})["addon"]["addonArn"]
    place.eks.untag_resource(resourceArn=arn, tagKeys=["a"])
    place.eks.tag_resource(resourceArn=arn, tags={"c": "e"})
    assert place.settled(CNI)["tags"] == {"c": "e"} == place.eks.list_tags_for_resource(resourceArn=arn)["tags"]
    assert code(place.eks.tag_resource, resourceArn=f"{arn}0", tags={"c": "e"}) == "NotFoundException"


def test_a_repeated_request_has_no_effect(place: t.Any) -> None:
    for _time in range(2):
        place.create_addon(addonName=CNI, clientRequestToken="one")
    assert place.list_addons()["addons"] == [CNI]
