# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters by boto3 against the simulator."""

from __future__ import annotations

import time
import typing as t

import pytest
from botocore.exceptions import ClientError
from refusals import code

ROLE = "arn:aws:iam::111111111111:role/eks"
PRIVATE = {"endpointPublicAccess": False, "endpointPrivateAccess": True}
CREATE = "POST /clusters"


def until(done: t.Callable[[], bool]) -> None:
    for _attempt in range(200):
        if done():
            return
        time.sleep(0.02)
    raise AssertionError("not within 4 seconds")


def make(place: t.Any, name: str, **more: t.Any) -> t.Any:
    network = {"subnetIds": place.network["Subnets"], **more.pop("network", {})}
    return place.eks.create_cluster(name=name, roleArn=ROLE, resourcesVpcConfig=network, **more)["cluster"]


def status(place: t.Any, name: str) -> str:
    try:
        return str(place.eks.describe_cluster(name=name)["cluster"]["status"])
    except ClientError as error:
        assert error.response["Error"]["Code"] == "ResourceNotFoundException"
        return ""


def test_the_defaults_are_those_of_the_api(place: t.Any) -> None:
    """API reference of CreateCluster: public access for all, CONFIG_MAP, extended support, no protection."""
    made = make(place, "defaults")
    assert made["resourcesVpcConfig"]["publicAccessCidrs"] == ["0.0.0.0/0"] and not made["resourcesVpcConfig"]["endpointPrivateAccess"]
    assert made["accessConfig"] == {"authenticationMode": "CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": True}
    assert (made["upgradePolicy"], made["deletionProtection"], made["version"]) == ({"supportType": "EXTENDED"}, False, "1.35")
    assert [each["enabled"] for each in made["logging"]["clusterLogging"]] == [False] and made["encryptionConfig"] == []


def test_all_settings_are_returned(place: t.Any) -> None:
    given = {
        "version": "1.34",
        "kubernetesNetworkConfig": {"serviceIpv4Cidr": "10.100.0.0/16"},
        "logging": {"clusterLogging": [{"types": ["api", "audit"], "enabled": True}]},
        "encryptionConfig": [{"resources": ["secrets"], "provider": {"keyArn": "key"}}],
        "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
        "upgradePolicy": {"supportType": "STANDARD"},
        "computeConfig": {"enabled": True},
        "deletionProtection": True,
        "tags": {"a": "b"},
        "clientRequestToken": "mine",
    }
    make(place, "complete", network=PRIVATE, bootstrapSelfManagedAddons=False, **given)
    found = place.eks.describe_cluster(name="complete")["cluster"]
    assert {name: found[name] for name in given if name not in ("logging", "kubernetesNetworkConfig")} == {
        name: value for name, value in given.items() if name not in ("logging", "kubernetesNetworkConfig")
    }
    assert found["logging"]["clusterLogging"][0] == {"types": ["api", "audit"], "enabled": True}
    assert found["kubernetesNetworkConfig"] == {"ipFamily": "ipv4", "serviceIpv4Cidr": "10.100.0.0/16"}
    assert found["resourcesVpcConfig"]["publicAccessCidrs"] == []
    assert place.eks.list_access_entries(clusterName="complete")["accessEntries"] == []


def test_a_cluster_is_created_and_deleted_in_steps(place: t.Any, account: t.Any) -> None:
    account.control.settings(eks_creates_at_once=False)
    with account.held():
        made = make(place, "steps", clientRequestToken="token")
        assert made["status"] == "CREATING" and "endpoint" not in made
        assert code(place.eks.delete_cluster, name="steps") == "ResourceInUseException"
    again = make(place, "steps", clientRequestToken="token")
    assert again["arn"] == made["arn"]
    with pytest.raises(ClientError, match="ResourceInUseException"):
        make(place, "steps")
    until(lambda: status(place, "steps") == "ACTIVE")
    assert "endpoint" in place.eks.describe_cluster(name="steps")["cluster"]
    assert place.eks.delete_cluster(name="steps")["cluster"]["status"] == "DELETING"
    until(lambda: status(place, "steps") == "")


def test_failures_have_an_issue(place: t.Any, account: t.Any) -> None:
    account.control.faults({"kind": "fail_later", "operation": CREATE, "code": "VpcNotFound: gone", "times": 1})
    make(place, "fails")
    until(lambda: status(place, "fails") == "FAILED")
    issue = {"code": "VpcNotFound", "message": "gone", "resourceIds": []}
    assert place.eks.describe_cluster(name="fails")["cluster"]["health"]["issues"] == [issue]
    account.control.faults({"kind": "fail_later", "operation": "DELETE /clusters/fails", "code": "AccessDenied: no", "times": 1})
    place.eks.delete_cluster(name="fails")
    until(lambda: place.eks.describe_cluster(name="fails")["cluster"]["health"]["issues"][0]["code"] == "AccessDenied")
    place.eks.delete_cluster(name="fails")
    until(lambda: status(place, "fails") == "")


@pytest.mark.parametrize(
    "wrong",
    [
        {"version": "1.99"},
        {"network": {"endpointPublicAccess": False}},
        {"accessConfig": {"authenticationMode": "CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": False}},
        {"name": "-a"},
    ],
)
def test_requests_that_eks_refuses(place: t.Any, wrong: dict[str, t.Any]) -> None:
    with pytest.raises(ClientError, match="InvalidParameterException"):
        make(place, **{"name": "wrong", **wrong})


def test_protected_and_used_clusters_are_not_deleted(place: t.Any) -> None:
    make(place, "grouped")
    nodes = {"clusterName": "grouped", "nodegroupName": "a", "nodeRole": ROLE, "subnets": place.network["Subnets"]}
    place.eks.create_nodegroup(**nodes)
    assert code(place.eks.delete_cluster, name="grouped") == "ResourceInUseException"
    make(place, "used")
    pods = {"fargateProfileName": "f", "podExecutionRoleArn": ROLE, "selectors": [{"namespace": "a"}]}
    place.eks.create_fargate_profile(clusterName="used", **pods)
    assert code(place.eks.delete_cluster, name="used") == "ResourceInUseException"
    make(place, "protected", deletionProtection=True)
    assert code(place.eks.delete_cluster, name="protected") == "InvalidRequestException"
    assert {"grouped", "used", "protected"} <= set(place.eks.list_clusters()["clusters"])


def test_answers_lag_behind_changes(place: t.Any, account: t.Any) -> None:
    account.control.settings(eks_cluster_lag_seconds=600)
    make(place, "late")
    assert status(place, "late") == ""
    account.control.settings(eks_cluster_lag_seconds=0)
    assert status(place, "late") == "ACTIVE"
    account.control.settings(eks_cluster_lag_seconds=600)
    assert status(place, "late") == ""
    account.control.settings(eks_cluster_lag_seconds=0)
    place.eks.delete_cluster(name="late")
    until(lambda: status(place, "late") == "")
