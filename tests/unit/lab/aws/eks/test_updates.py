# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates of a cluster by boto3 against the simulator."""

from __future__ import annotations

import typing as t

import pytest
from refusals import code

CLOSED = {"endpointPublicAccess": True, "endpointPrivateAccess": True, "publicAccessCidrs": ["203.0.113.0/24"]}
KEY = [{"resources": ["secrets"], "provider": {"keyArn": "key"}}]


def change(place: t.Any, **params: t.Any) -> dict[str, t.Any]:
    update = place.eks.update_cluster_config(name=place.name, **params)["update"]
    assert update["status"] == "InProgress"
    return t.cast("dict[str, t.Any]", place.ended(update["id"]))


def config(place: t.Any, **params: t.Any) -> str:
    """The error code of UpdateClusterConfig."""
    return code(place.eks.update_cluster_config, name=place.name, **params)


def test_each_kind_of_setting_is_changed(place: t.Any) -> None:
    subnets = place.network["Subnets"]
    for kind, params in (
        ("VpcConfigUpdate", {"resourcesVpcConfig": {"subnetIds": subnets, "securityGroupIds": place.network["SecurityGroupIds"]}}),
        ("EndpointAccessUpdate", {"resourcesVpcConfig": CLOSED}),
        ("LoggingUpdate", {"logging": {"clusterLogging": [{"types": ["api"], "enabled": True}]}}),
        ("UpgradePolicyUpdate", {"upgradePolicy": {"supportType": "STANDARD"}}),
        ("DeletionProtectionUpdate", {"deletionProtection": True}),
    ):
        update = change(place, **params)
        assert (update["status"], update["type"]) == ("Successful", kind)
        assert config(place, **params) == "InvalidParameterException", "a second call has nothing to change"
    found = place.cluster()
    assert found["resourcesVpcConfig"]["subnetIds"] == subnets and CLOSED.items() <= found["resourcesVpcConfig"].items()
    assert (found["upgradePolicy"], found["deletionProtection"], found["status"]) == ({"supportType": "STANDARD"}, True, "ACTIVE")


def test_one_update_runs_at_a_time_and_is_listed(place: t.Any, account: t.Any) -> None:
    account.control.settings(transition_seconds=60)
    update = place.eks.update_cluster_config(name=place.name, deletionProtection=True)["update"]["id"]
    assert place.cluster()["status"] == "UPDATING" and place.eks.list_updates(name=place.name)["updateIds"] == [update]
    assert config(place, upgradePolicy={"supportType": "STANDARD"}) == "ResourceInUseException"
    assert code(place.eks.update_cluster_version, name=place.name, version="1.35") == "ResourceInUseException"
    assert code(place.eks.associate_encryption_config, clusterName=place.name, encryptionConfig=KEY) == "ResourceInUseException"
    assert code(place.eks.delete_cluster, name=place.name) == "ResourceInUseException"
    account.control.settings(transition_seconds=0.05)
    assert place.ended(update)["status"] == "Successful"


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"deletionProtection": True, "upgradePolicy": {"supportType": "STANDARD"}},
        {"resourcesVpcConfig": {"endpointPrivateAccess": True, "securityGroupIds": []}},
        {"resourcesVpcConfig": {"endpointPublicAccess": False}},
        {"accessConfig": {"authenticationMode": "CONFIG_MAP"}},
        {"logging": {"clusterLogging": [{"types": ["api"], "enabled": False}]}},
    ],
)
def test_changes_that_eks_refuses(place: t.Any, params: dict[str, t.Any]) -> None:
    assert config(place, **params) == "InvalidParameterException"


def test_subnets_that_eks_refuses(place: t.Any, account: t.Any) -> None:
    first, second = place.network["Subnets"]
    for wrong in ([first], account.network()["Subnets"], [first, account.network()["Subnets"][1]]):
        assert config(place, resourcesVpcConfig={"subnetIds": wrong}) == "InvalidParameterException"
    assert change(place, resourcesVpcConfig={"subnetIds": [second, first]})["status"] == "Successful"


def test_the_authentication_mode_moves_one_step_forward(config_map_place: t.Any) -> None:
    place = config_map_place
    assert config(place, accessConfig={"authenticationMode": "API"}) == "InvalidParameterException"
    for mode in ("API_AND_CONFIG_MAP", "API"):
        assert change(place, accessConfig={"authenticationMode": mode})["status"] == "Successful"
    assert config(place, accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"}) == "InvalidParameterException"


def test_a_failed_update_changes_nothing(place: t.Any, account: t.Any) -> None:
    operation = f"POST /clusters/{place.name}/update-config"
    account.control.faults({"kind": "fail_later", "operation": operation, "code": "EniLimitReached: none", "times": 1})
    update = change(place, deletionProtection=True)
    assert (update["status"], update["errors"][0]["errorCode"]) == ("Failed", "EniLimitReached")
    assert place.cluster()["deletionProtection"] is False and place.cluster()["status"] == "ACTIVE"


def test_a_key_is_added_once(place: t.Any) -> None:
    update = place.eks.associate_encryption_config(clusterName=place.name, encryptionConfig=KEY)["update"]
    assert place.ended(update["id"])["status"] == "Successful" and place.cluster()["encryptionConfig"] == KEY
    assert code(place.eks.associate_encryption_config, clusterName=place.name, encryptionConfig=KEY) == "InvalidParameterException"


def test_a_repeated_request_has_no_second_effect(place: t.Any) -> None:
    request = {"name": place.name, "deletionProtection": True, "clientRequestToken": "once"}
    first, second = (place.eks.update_cluster_config(**request)["update"]["id"] for _each in range(2))
    assert first == second and len(place.eks.list_updates(name=place.name)["updateIds"]) == 1


def test_updates_of_add_ons_are_separate(place: t.Any) -> None:
    place.create_addon(addonName="vpc-cni")
    place.settled("vpc-cni")
    update = place.update_addon(addonName="vpc-cni")["update"]["id"]
    assert place.eks.list_updates(name=place.name)["updateIds"] == []
    assert place.eks.list_updates(name=place.name, addonName="vpc-cni")["updateIds"] == [update]
    assert code(place.eks.describe_update, name=place.name, updateId=update) == "ResourceNotFoundException"
