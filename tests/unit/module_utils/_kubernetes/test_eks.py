# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An EKS cluster: whether it has an API server, and advice for callers without access."""

from __future__ import annotations

import base64
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.eks import api_server, result

AUTHORITY = {"data": base64.b64encode(b"pem").decode()}


def cluster(**more: t.Any) -> dict[str, t.Any]:
    return {"name": "pods", "status": "ACTIVE", "endpoint": "https://x", "certificateAuthority": AUTHORITY, **more}


def test_the_endpoint_and_its_authority_are_read() -> None:
    found = api_server(cluster())
    assert (found.host, found.authority) == ("https://x", b"pem")


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"status": "CREATING", "endpoint": None, "certificateAuthority": None}, "CREATING"),
        ({"status": "CREATING", "certificateAuthority": {}}, "CREATING"),
        ({"status": "FAILED", "endpoint": ""}, "FAILED"),
        ({"status": None, "endpoint": None}, "unknown"),
    ],
)
def test_a_cluster_without_an_api_server_is_reported_with_its_status(more: dict[str, t.Any], status: str) -> None:
    answer = {name: value for name, value in cluster(**more).items() if value is not None}
    with pytest.raises(Failure, match=f"^EKS cluster pods has no API server; the cluster's status is {status}. If the status is CREATING"):
        api_server(answer)


@pytest.mark.parametrize("mode", ["API", "API_AND_CONFIG_MAP", None])
def test_unknown_callers_are_advised_to_create_an_access_entry(mode: str | None) -> None:
    login = api_server(cluster(accessConfig={"authenticationMode": mode})).login
    assert "requires an access entry for the caller. Run aws eks create-access-entry --cluster-name pods" in login


def test_the_advice_follows_the_authentication_mode() -> None:
    login = api_server(cluster(accessConfig={"authenticationMode": "CONFIG_MAP"})).login
    assert "by ConfigMap aws-auth only (authenticationMode CONFIG_MAP)" in login and "requires an access entry" not in login
    assert login.index("mapRoles of aws-auth") < login.index("update-cluster-config --name pods") < login.index("create-access-entry")


VPC = {
    "vpcId": "vpc-1",
    "subnetIds": ["subnet-1"],
    "securityGroupIds": ["sg-1"],
    "clusterSecurityGroupId": "sg-2",
    "endpointPublicAccess": True,
    "endpointPrivateAccess": False,
    "publicAccessCidrs": ["192.0.2.0/24"],
}


def test_the_result_contains_the_cluster() -> None:
    more = {"arn": "arn", "version": "1.34", "accessConfig": {"authenticationMode": "API"}, "resourcesVpcConfig": VPC}
    assert result(cluster(**more)) == {
        "name": "pods",
        "arn": "arn",
        "status": "ACTIVE",
        "version": "1.34",
        "endpoint": "https://x",
        "certificate_authority": AUTHORITY["data"],
        "authentication_mode": "API",
        "vpc": {
            "vpc_id": "vpc-1",
            "subnets": ["subnet-1"],
            "security_groups": ["sg-1"],
            "cluster_security_group": "sg-2",
            "endpoint_public_access": True,
            "endpoint_private_access": False,
            "public_access_cidrs": ["192.0.2.0/24"],
        },
    }


def test_fields_that_a_cluster_in_creation_lacks_are_null_or_empty() -> None:
    found = result({"name": "pods", "arn": "arn"})
    lists = {"subnets", "security_groups", "public_access_cidrs"}
    assert found.pop("vpc") == {name: [] if name in lists else None for name in result(cluster(arn="arn"))["vpc"]}
    assert set(found.items()) >= {("name", "pods"), ("arn", "arn"), ("status", None), ("certificate_authority", None)}
